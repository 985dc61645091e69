import type * as english from '../sign-in.ts'

const NOT_VERIFIED =
  'Ihre Organisation hat Ihre E-Mail-Adresse nicht bestätigt, daher können Sie sich nicht damit anmelden. Wenden Sie sich an die Administratoren des Identitätsanbieters.'

export const signInTexts: typeof english.signInTexts = {
  title: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  submit: 'Anmelden',
  oidc: 'Mit Ihrer Organisation anmelden',
  or: 'oder',
  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
  passwordMissing: 'Geben Sie Ihr Passwort ein.',
  wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
  tooMany: 'Zu viele Versuche. Warten Sie eine Minute, und versuchen Sie es dann erneut.',
  oidcFailed:
    'Die Anmeldung mit Ihrer Organisation ist fehlgeschlagen. Versuchen Sie es erneut, oder wenden Sie sich an den Betreiber des Dienstes.',
  oidcErrors: {
    not_invited: 'Sie haben noch keine Einladung. Bitten Sie einen Administrator um eine.',
    email_not_verified: NOT_VERIFIED,
    account_not_linked: NOT_VERIFIED,
    linked_to_another:
      'Ihre E-Mail-Adresse gehört zu einem Konto, das mit einer anderen Identität verknüpft ist. Wenden Sie sich an einen Administrator.',
    address_changed:
      'Das Konto mit Ihrer E-Mail-Adresse ist nicht mit Ihrer Organisation verknüpft. Melden Sie sich mit dem Passwort dieses Kontos an.',
  },
  forgot:
    'Passwort vergessen? Bitten Sie einen Administrator oder den Betreiber des Dienstes um einen Link zum Zurücksetzen.',
  notSetUp:
    'Dieser Dienst hat noch kein Konto. Öffnen Sie den Einrichtungslink, den er beim Start ausgegeben hat.',
}

export const setupTexts: typeof english.setupTexts = {
  title: 'Millrace einrichten',
  lead: 'Legen Sie das erste Konto und seinen Arbeitsbereich an.',
  name: 'Ihr Name',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  passwordHelp: '12 Zeichen oder mehr. Ein paar Wörter merkt man sich leichter als Sonderzeichen.',
  tier: 'Art des Kontos',
  personal: 'Persönlich',
  personalHelp: 'Ein Arbeitsbereich, für Sie. Sie können später zu einem geschäftlichen Konto wechseln.',
  business: 'Geschäftlich',
  businessHelp: 'Eine Organisation mit mehreren Arbeitsbereichen und Mitgliedern mit Rollen.',
  organisation: 'Organisation',
  submit: 'Konto anlegen',
  oidc: 'Mit Ihrer Organisation einrichten',
  nameMissing: 'Geben Sie Ihren Namen ein.',
  emailWrong: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel sie@firma.example.',
  passwordShort: 'Verwenden Sie 12 Zeichen oder mehr.',
  passwordLong: 'Verwenden Sie höchstens 128 Zeichen.',
  organisationMissing: 'Geben Sie den Namen Ihrer Organisation ein.',
  noToken: {
    title: 'Unvollständiger Einrichtungslink',
    text: 'Öffnen Sie den vollständigen Link, den der Dienst beim Start ausgegeben hat. Er enthält ?token= und einen langen Wert.',
  },
  done: {
    title: 'Dieser Dienst ist bereits eingerichtet',
    text: 'Melden Sie sich mit Ihrem Konto an, oder bitten Sie einen Administrator um eine Einladung.',
    link: 'Zur Anmeldung',
  },
  wrongToken:
    'Dieser Link ist ungültig, bereits benutzt oder älter als 30 Minuten. Starten Sie den Dienst neu, um einen neuen zu erhalten.',
}

export const invitationTexts: typeof english.invitationTexts = {
  title: 'Einem Arbeitsbereich beitreten',
  windowTitle: (workspace: string) => `${workspace} beitreten`,
  lead: (role: string, organisation: string | null) =>
    organisation ? `${organisation} lädt Sie als ${role} ein.` : `Sie sind als ${role} eingeladen.`,
  forEmail: 'Die Einladung ist für',
  name: setupTexts.name,
  password: setupTexts.password,
  submit: 'Konto anlegen und beitreten',
  join: (workspace: string) => `${workspace} beitreten`,
  haveAccount: 'Sie haben schon ein Konto?',
  signIn: 'Anmelden und beitreten',
  otherPerson: (mine: string, theirs: string) =>
    `Sie sind als ${mine} angemeldet, aber diese Einladung ist für ${theirs}. Melden Sie sich zuerst ab.`,
  signOut: 'Abmelden',
  invalid: {
    title: 'Diese Einladung funktioniert nicht',
    text: 'Sie ist ungültig, bereits benutzt, zurückgezogen oder älter als 7 Tage. Bitten Sie um eine neue.',
    link: 'Zur Anmeldung',
  },
}

export const resetTexts: typeof english.resetTexts = {
  title: 'Neues Passwort festlegen',
  lead: 'Damit werden Sie überall sonst abgemeldet.',
  account: 'Für das Konto',
  password: 'Neues Passwort',
  submit: 'Passwort festlegen und anmelden',
  invalid: {
    title: 'Dieser Link funktioniert nicht',
    text: 'Er ist ungültig, bereits benutzt, durch einen neueren ersetzt oder älter als 30 Minuten. Bitten Sie einen Administrator um einen neuen.',
    link: 'Zur Anmeldung',
  },
}
