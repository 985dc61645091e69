import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A zombie that a slow init has not reaped is not alive. */
export async function isAlive(pid: number): Promise<boolean> {
  return /^[^Z]/.test(await ps('-o', 'stat=', '-p', String(pid)))
}

export async function waitUntilGone(pid: number): Promise<void> {
  while (await isAlive(pid)) await sleep(10)
}

export async function ownerOf(pid: number): Promise<number> {
  return Number(await ps('-o', 'uid=', '-p', String(pid)))
}

export async function groupOf(pid: number): Promise<number> {
  return Number(await ps('-o', 'pgid=', '-p', String(pid)))
}

export async function commandOf(pid: number): Promise<string[]> {
  return (await ps('-ww', '-o', 'args=', '-p', String(pid))).split(' ')
}

export async function commandsContaining(text: string): Promise<string[]> {
  return (await ps('-eww', '-o', 'args=')).split('\n').filter((line) => line.includes(text))
}

async function ps(...args: string[]): Promise<string> {
  const child = spawn('ps', args)
  let text = ''
  for await (const part of child.stdout) text += part
  return text
}
