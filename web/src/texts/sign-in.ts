const NOT_VERIFIED =
  'Your organisation has not verified your e-mail address, so that it opens no account here. Ask whoever runs its sign-in.'

/** Screens before sign-in. */
export const signInTexts = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  oidc: 'Sign in with your organisation',
  or: 'or',
  emailMissing: 'Give the e-mail address of your account.',
  passwordMissing: 'Give your password.',
  wrong: 'E-mail or password is wrong.',
  tooMany: 'Too many attempts. Wait a minute, then try again.',
  oidcFailed: 'Your organisation did not sign you in. Try again, or ask whoever runs this service.',
  /** By error code; `account_not_linked` is the identity library's. */
  oidcRefused: {
    not_invited: 'Your organisation knows you, but nobody has invited you here. Ask an administrator to.',
    email_not_verified: NOT_VERIFIED,
    account_not_linked: NOT_VERIFIED,
    linked_to_another:
      'Your e-mail address belongs to an account here that another identity of your organisation uses. Ask an administrator.',
    address_changed:
      'Your e-mail address was entered by hand in an account here, so that your organisation cannot open it. Sign in with its password.',
  } as Record<string, string>,
  forgot:
    'Forgot your password? Ask an administrator for a reset link. Whoever runs this service can make one, too.',
  notSetUp: 'This service has no account yet. Open the set-up link that it printed when it started.',
}

export const setupTexts = {
  title: 'Set up Millrace',
  lead: 'You are the first one here. This makes your account and its first workspace.',
  name: 'Your name',
  email: 'E-mail',
  password: 'Password',
  passwordHelp: '12 characters or more. A few words you will remember are better than symbols.',
  tier: 'What is it for?',
  personal: 'Personal',
  personalHelp: 'One workspace, for you. You can change to business later.',
  business: 'Business',
  businessHelp: 'An organisation with several workspaces, and members with roles.',
  organisation: 'Organisation',
  submit: 'Create account',
  oidc: 'Set up with the sign-in of your organisation',
  nameMissing: 'Give your name.',
  emailWrong: 'Give an e-mail address, such as you@company.example.',
  passwordShort: 'Use 12 characters or more.',
  passwordLong: 'Use 128 characters or fewer.',
  organisationMissing: 'Give the name of your organisation.',
  noToken: {
    title: 'The set-up link is incomplete',
    text: 'Open the whole link that the service printed when it started. It ends in ?token= and a long word.',
  },
  done: {
    title: 'This service is set up already',
    text: 'Sign in with your account, or ask an administrator for an invitation.',
    link: 'Go to sign-in',
  },
  wrongToken:
    'This link is wrong, used or older than 30 minutes. Start the service again: it prints a new one as long as nobody has an account.',
}

export const invitationTexts = {
  title: 'Join a workspace',
  windowTitle: (workspace: string) => `Join ${workspace}`,
  lead: (role: string, organisation: string | null) =>
    organisation ? `${organisation} invites you as ${role}.` : `You are invited as ${role}.`,
  forEmail: 'The invitation is for',
  name: setupTexts.name,
  password: setupTexts.password,
  passwordHelp: setupTexts.passwordHelp,
  submit: 'Create account and join',
  join: (workspace: string) => `Join ${workspace}`,
  haveAccount: 'You have an account already?',
  signIn: 'Sign in and join',
  otherPerson: (mine: string, theirs: string) =>
    `You are signed in as ${mine}, and this invitation is for ${theirs}. Sign out first.`,
  signOut: 'Sign out',
  gone: {
    title: 'This invitation does not work',
    text: 'It is wrong, used, withdrawn or older than 7 days. Ask whoever invited you for a new one.',
    link: 'Go to sign-in',
  },
}

export const resetTexts = {
  title: 'Set a new password',
  lead: 'It signs you out everywhere else.',
  account: 'For the account',
  password: 'New password',
  passwordHelp: setupTexts.passwordHelp,
  submit: 'Set password and sign in',
  gone: {
    title: 'This link does not work',
    text: 'It is wrong, used, replaced by a newer one, or older than 30 minutes. Ask an administrator for another.',
    link: 'Go to sign-in',
  },
}
