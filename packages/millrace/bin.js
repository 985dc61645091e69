#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { launch } from './launch.js'

const { version } = readJson('../package.json')
const commands = readJson('./commands.json')
const [first = 'start', ...rest] = process.argv.slice(2)

if (first === '--version' || first === '-v') console.log(version)
else if (first === '--help' || first === '-h' || first === 'help') console.log(help())
// Options without a command are those of `start`.
else if (first.startsWith('-')) run('start', [first, ...rest])
else if (Object.hasOwn(commands, first)) run(first, rest)
else {
  console.error(`millrace: unknown command "${first}"; the commands are ${Object.keys(commands).join(', ')}`)
  process.exitCode = 2
}

function run(name, args) {
  const { script, env, options } = commands[name]
  launch('millrace', { script, env, options, args })
}

function help() {
  const rows = Object.entries(commands).map(([name, { usage, summary }]) => [
    `${name} ${usage}`.trim(),
    summary,
  ])
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `Millrace ${version} copies a wiki into a search index or PostgreSQL, with its permissions.`,
    '',
    'millrace [COMMAND]',
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
    'Settings are environment variables, such as PORT, DATABASE_URL and MILLRACE_DATA_DIR.',
  ].join('\n')
}

function readJson(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
}
