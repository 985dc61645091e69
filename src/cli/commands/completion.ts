import { JOB_OPTIONS } from '../arguments.ts'
import type { CommandHandler } from '../command-handler.ts'
import { type Command, commands } from '../commands.ts'
import { EXIT, UsageError } from '../exit.ts'
import { type ConnectorFlag, connectorFlags } from '../flags.ts'

export const completionCommand: CommandHandler = async ({ args, terminal, registry }) => {
  const [shell = ''] = args.positional
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (!script) throw new UsageError('name a shell: bash, zsh or fish', 'completion')
  terminal.print(script(connectorFlags(registry)))
  return EXIT.ok
}

const scripts: Record<string, (flags: ConnectorFlag[]) => string> = {
  bash,
  zsh: (flags) => `autoload -U +X bashcompinit && bashcompinit\n${bash(flags)}`,
  fish,
}

type Flag = { name: string; description: string; takesValue: boolean }

function flagsOf({ options, readsJob }: Command, connectors: ConnectorFlag[]): Flag[] {
  const own = options.map(({ name, value, description }) => ({
    name,
    description,
    takesValue: value !== undefined,
  }))
  const job = Object.keys(JOB_OPTIONS).map((name) => ({ name, description: '', takesValue: true }))
  const ofConnectors = connectors.map(({ name, title, kind }) => ({
    name,
    description: title,
    takesValue: kind !== 'boolean',
  }))
  return [
    ...own,
    ...(readsJob ? [...job, ...ofConnectors] : []),
    { name: 'help', description: '', takesValue: false },
  ]
}

function bash(connectors: ConnectorFlag[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) words="${flagsOf(command, connectors)
        .map(({ name }) => `--${name}`)
        .join(' ')}" ;;`,
  )
  return `_millrace_ingest() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _millrace_ingest millrace-ingest`
}

function fish(connectors: ConnectorFlag[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  return commands
    .flatMap((command) => [
      `complete -c millrace-ingest -n "not __fish_seen_subcommand_from ${names}" -a ${command.name} -d ${quote(command.summary)}`,
      ...flagsOf(command, connectors).map(
        ({ name, description, takesValue }) =>
          `complete -c millrace-ingest -n "__fish_seen_subcommand_from ${command.name}" -l ${name}${takesValue ? ' -r' : ''}${description ? ` -d ${quote(description)}` : ''}`,
      ),
    ])
    .join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`
}
