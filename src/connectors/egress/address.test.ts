import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { metadataAddressReason, nonPublicReason } from './address.ts'

describe('an address', () => {
  const inside = [
    ...['0.0.0.0', '0.1.2.3', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...[
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.1',
      '192.0.2.1',
      '192.168.1.1',
      '198.18.0.1',
      '198.51.100.7',
    ],
    ...['203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:0:127.0.0.1', 'fe80::1'],
    ...['fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '100::1', '2001:db8::1', '3fff::1'],
    // NAT64 around 127.0.0.1 and 169.254.169.254, its local-use prefix around 8.8.8.8; 6to4 and Teredo.
    ...['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::808:808', '2002:7f00:1::', '2002:808:808::'],
    ...['2001:0:808:808::1', '2001:2::1', '2001:10::1', '5f00::1', '4000::1'],
  ]
  for (const address of inside) {
    test(`is not public when it is ${address}`, () => assert.notEqual(nonPublicReason(address), null))
  }

  const outside = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '169.253.0.1', '2606:4700::1111']
  for (const address of [...outside, '::ffff:8.8.8.8', '64:ff9b::808:808']) {
    test(`is public when it is ${address}`, () => assert.equal(nonPublicReason(address), null))
  }

  for (const text of ['', 'localhost', '0177.0.0.1', '0x7f.1', '2130706433', '127.1', '8.8.8.8 ']) {
    test(`is refused when it is not a plain address but "${text}"`, () =>
      assert.equal(nonPublicReason(text), 'not an address'))
  }

  test('of a metadata service is refused for every name, a private one is not', () => {
    for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '100.100.100.200']) {
      assert.notEqual(metadataAddressReason(address), null)
    }
    for (const address of ['10.0.0.1', '127.0.0.1', '::1', 'fd00::1']) {
      assert.equal(metadataAddressReason(address), null)
    }
  })
})
