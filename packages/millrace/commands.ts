/** A command of the package: a script of the project's package.json that runs a file of src. */
export type Command = {
  script: string
  env: Record<string, string>
  options: string[]
  usage: string
  summary: string
}

const TEXTS: Record<string, { usage: string; summary: string }> = {
  start: { usage: '[--role api|worker]', summary: 'runs the service and its page (the default)' },
  'reset-password': { usage: 'EMAIL', summary: 'prints a link to set a new password' },
  'rotate-key': { usage: '', summary: 'seals all secrets with the current master key' },
  backup: { usage: 'FILE', summary: 'writes a backup of the database' },
  restore: { usage: 'FILE [--replace]', summary: 'restores a backup of the database' },
}

const SCRIPT = /^((?:\w+=\S+ )*)node((?: --\S+)*) (src\/\S+)\.ts$/

/** Those that exist in the project, with the variables and options that `npm run` gives to Node. */
export function commandsOf(scripts: Record<string, string>): Record<string, Command> {
  return Object.fromEntries(
    Object.entries(TEXTS).flatMap(([name, texts]) => {
      const [, variables = '', options = '', path = ''] = scripts[name]?.match(SCRIPT) ?? []
      if (!path) return []
      const env = Object.fromEntries(
        variables
          .trim()
          .split(' ')
          .filter(Boolean)
          .map((each) => each.split('=')),
      )
      // The package needs no module before its first: launch.js turns the compile cache on.
      const kept = options.split(' ').filter((option) => option && !option.startsWith('--import='))
      return [[name, { script: `${path}.js`, env, options: kept, ...texts }]]
    }),
  )
}
