const NOT_VERIFIED =
  'Your organisation has not verified your e-mail address, so you cannot sign in with it. Ask the administrators of its identity provider.'

/** Screens before sign-in. */
export const signInTexts = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  oidc: 'Sign in with your organisation',
  or: 'or',
  emailMissing: 'Enter your e-mail address.',
  passwordMissing: 'Enter your password.',
  wrong: 'Wrong e-mail or password.',
  tooMany: 'Too many attempts. Wait a minute, then try again.',
  oidcFailed: 'Sign-in with your organisation failed. Try again, or ask the service operator.',
  /** By error code; `account_not_linked` is the identity library's. */
  oidcErrors: {
    not_invited: 'You have no invitation yet. Ask an administrator to invite you.',
    email_not_verified: NOT_VERIFIED,
    account_not_linked: NOT_VERIFIED,
    linked_to_another:
      'Your e-mail address belongs to an account that is linked to another identity. Ask an administrator.',
    address_changed:
      'The account with your e-mail address is not linked to your organisation. Sign in with the password of that account.',
  } as Record<string, string>,
  forgot: 'Forgot your password? Ask an administrator or the service operator for a reset link.',
  notSetUp: 'This service has no account yet. Open the setup link that it printed at start.',
}

export const setupTexts = {
  title: 'Set up Millrace',
  lead: 'Create the first account and its workspace.',
  name: 'Your name',
  email: 'E-mail',
  password: 'Password',
  passwordHelp: '12 characters or more. A few words are easier to remember than symbols.',
  tier: 'Account type',
  personal: 'Personal',
  personalHelp: 'One workspace, for you. You can change to business later.',
  business: 'Business',
  businessHelp: 'An organisation with several workspaces, and members with roles.',
  organisation: 'Organisation',
  submit: 'Create account',
  oidc: 'Set up with your organisation',
  nameMissing: 'Enter your name.',
  emailWrong: 'Enter an e-mail address, such as you@company.example.',
  passwordShort: 'Use 12 characters or more.',
  passwordLong: 'Use 128 characters or fewer.',
  organisationMissing: 'Enter the name of your organisation.',
  noToken: {
    title: 'Incomplete setup link',
    text: 'Open the complete link that the service printed at start. It contains ?token= and a long value.',
  },
  done: {
    title: 'This service is already set up',
    text: 'Sign in with your account, or ask an administrator for an invitation.',
    link: 'Go to sign-in',
  },
  wrongToken:
    'This link is invalid, already used or older than 30 minutes. Restart the service to get a new one.',
}

export const invitationTexts = {
  title: 'Join a workspace',
  windowTitle: (workspace: string) => `Join ${workspace}`,
  lead: (role: string, organisation: string | null) =>
    organisation ? `${organisation} invites you as ${role}.` : `You are invited as ${role}.`,
  forEmail: 'The invitation is for',
  name: setupTexts.name,
  password: setupTexts.password,
  submit: 'Create account and join',
  join: (workspace: string) => `Join ${workspace}`,
  haveAccount: 'Already have an account?',
  signIn: 'Sign in and join',
  otherPerson: (mine: string, theirs: string) =>
    `You are signed in as ${mine}, but this invitation is for ${theirs}. Sign out first.`,
  signOut: 'Sign out',
  invalid: {
    title: 'This invitation does not work',
    text: 'It is invalid, already used, withdrawn or older than 7 days. Ask for a new one.',
    link: 'Go to sign-in',
  },
}

export const resetTexts = {
  title: 'Set a new password',
  lead: 'This signs you out everywhere else.',
  account: 'For the account',
  password: 'New password',
  submit: 'Set password and sign in',
  invalid: {
    title: 'This link does not work',
    text: 'It is invalid, already used, replaced by a newer link or older than 30 minutes. Ask an administrator for a new one.',
    link: 'Go to sign-in',
  },
}
