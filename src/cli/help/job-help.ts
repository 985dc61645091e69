import type { Registry } from '../../connectors/registry.ts'
import type { CommandOption } from '../commands.ts'
import { type ConnectorFlag, connectorFlags } from '../flags.ts'
import { optionLines, paragraph } from './help-lines.ts'

/** The flags of every command that reads a job. */
export function jobHelp(registry: Registry): string[] {
  const { sources, destinations } = registry
  const flags = connectorFlags(registry)
  const flagsOf = (side: ConnectorFlag['side']) => flags.filter((flag) => flag.side === side)
  const types = (all: readonly { type: string }[]) => all.map(({ type }) => type)
  const job: CommandOption[] = [
    { name: 'state', value: 'path', description: 'The state file. Default: next to the job file.' },
    {
      name: 'nodes',
      value: 'file',
      description:
        'A YAML or JSON file with the nodes, or the nodes inline: [{"type": "partition"}]. Default: auto, chunk_by_title, local.',
    },
    {
      name: 'source-type',
      value: 'type',
      description: `Default: ${sources[0]?.type}.`,
      choices: types(sources),
    },
    {
      name: 'destination-type',
      value: 'type',
      description: `Default: ${destinations[0]?.type}.`,
      choices: types(destinations),
    },
  ]
  return [
    `Job (flags override the job file)\n${job.map(optionLines).join('\n')}`,
    `Source\n${flagsOf('source').map(flagLines).join('\n')}`,
    `Destination\n${flagsOf('destination').map(flagLines).join('\n')}`,
    paragraph(
      `Any value may contain environment variables as \${NAME}. Other users of the machine can read secrets on a command line: use a variable instead, in single quotes.`,
      '',
    ),
  ]
}

function flagLines(flag: ConnectorFlag): string {
  const value = flag.kind === 'boolean' ? '' : flag.kind === 'list' ? ' <a,b,…>' : ` <${flag.kind}>`
  const remarks = [
    flag.description || `${flag.title}.`,
    flag.only.length > 0 ? `Only for ${flag.only.join(', ')}.` : '',
    flag.choices.length > 0 ? `${flag.kind === 'list' ? 'Any' : 'One'} of: ${flag.choices.join(', ')}.` : '',
    flag.fallback !== null && flag.kind !== 'boolean' ? `Default: ${flag.fallback}.` : '',
    flag.example !== null && !flag.isSecret ? `Example: ${flag.example}` : '',
  ]
  return `  --${flag.name}${value}\n${paragraph(remarks.filter(Boolean).join(' '), '      ')}`
}
