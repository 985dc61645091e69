import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryCounts } from '../store/counts/memory-counts.ts'
import { networkOf, signInLimits } from './sign-in-limits.ts'

const address = (n: number) => `203.0.113.${n}`

/** The number of attempts before the limit applies. */
async function attemptsUntilLimited(
  limits: ReturnType<typeof signInLimits>,
  email: string,
  from: string,
): Promise<number> {
  let tries = 0
  while ((await limits.begin(email, from)) === 0) tries++
  return tries
}

test('makes an attacker wait, and not the account owner', async () => {
  const limits = signInLimits(memoryCounts())
  assert.equal(await attemptsUntilLimited(limits, 'ada@acme.example', address(1)), 10)
  assert.equal(await limits.begin('ada@acme.example', address(2)), 0)
})

test('does not let one network lock a person out', async () => {
  const limits = signInLimits(memoryCounts())
  for (let tries = 0; tries < 1000; tries++) await limits.begin('ada@acme.example', address(1))
  assert.equal(await attemptsUntilLimited(limits, 'ada@acme.example', address(2)), 10)
})

test('limits a network that tries many people', async () => {
  const limits = signInLimits(memoryCounts())
  let tries = 0
  while ((await limits.begin(`${tries}@acme.example`, address(1))) === 0) tries++
  assert.equal(tries, 30)
})

test('limits guesses at one person from all networks', async () => {
  const limits = signInLimits(memoryCounts())
  let tries = 0
  for (let from = 0; from < 60; from++)
    tries += await attemptsUntilLimited(limits, 'ada@acme.example', address(from))
  assert.equal(tries, 200)
  assert.ok((await limits.begin('ada@acme.example', address(99))) > 60)
})

test('forgets mistakes of the person who signs in, but not of an attacker', async () => {
  const limits = signInLimits(memoryCounts())
  for (let from = 0; from < 19; from++) await attemptsUntilLimited(limits, 'ada@acme.example', address(from))
  for (let day = 0; day < 4; day++) {
    for (let tries = 0; tries < 3; tries++)
      assert.equal(await limits.begin('ada@acme.example', address(99)), 0)
    await limits.succeeded('ada@acme.example', address(99))
  }
  assert.equal(
    await attemptsUntilLimited(limits, 'ada@acme.example', address(50)),
    2,
    '190 attempts of others and 8 of the person count',
  )
})

test('counts the addresses of one IPv6 network as one', async () => {
  assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
  assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(networkOf('2001:db8:1:2:3::4'), networkOf('2001:db8:1:2:ffff::9'))
  assert.notEqual(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'))
})

test('counts invalid addresses together, without storing them', async () => {
  const one = networkOf('not an address')
  for (const invalid of ['', 'unknown', '203.0.113.7:80', `fe80::1%${'z'.repeat(9000)}`, 'x'.repeat(16_000)])
    assert.equal(networkOf(invalid), one)
  assert.equal(networkOf('fe80::1%eth0'), networkOf('fe80::1%eth1'))
})
