import { readFileSync } from 'node:fs'
import { launch, launchService } from './launch.ts'

/** The command `millrace` of the package; `npm start` runs its `start`. Each of the others is a file here. */
const commands: Record<string, { usage: string; summary: string }> = {
  start: { usage: '[--role api|worker]', summary: 'runs the service and its page (the default)' },
  'reset-password': { usage: 'EMAIL', summary: 'prints a link to set a new password' },
  'rotate-key': { usage: '', summary: 'seals all secrets with the current master key' },
  backup: { usage: 'FILE', summary: 'writes a backup of the database' },
  restore: { usage: 'FILE [--replace]', summary: 'restores a backup of the database' },
  migrate: { usage: '', summary: 'brings the database to the schema of this version' },
  health: { usage: '', summary: 'asks the process on this machine whether it runs' },
}

const { version, description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const [first = 'start', ...rest] = process.argv.slice(2)

if (first === '--version' || first === '-v') console.log(version)
else if (first === '--help' || first === '-h' || first === 'help') console.log(help())
else if (first === 'start') await launchService('millrace', { file: 'main', args: rest })
// Options without a command are those of `start`.
else if (first.startsWith('-')) await launchService('millrace', { file: 'main', args: [first, ...rest] })
else if (Object.hasOwn(commands, first)) await launch('millrace', { file: first, args: rest })
else {
  console.error(`millrace: unknown command "${first}"; the commands are ${Object.keys(commands).join(', ')}`)
  process.exitCode = 2
}

function help(): string {
  const rows = Object.entries(commands).map(([name, { usage, summary }]): [string, string] => [
    `${name} ${usage}`.trim(),
    summary,
  ])
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `Millrace ${version} ${description.charAt(0).toLowerCase()}${description.slice(1)}`,
    '',
    'millrace [COMMAND]',
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
    'Settings are environment variables, such as PORT, DATABASE_URL and MILLRACE_DATA_DIR.',
  ].join('\n')
}
