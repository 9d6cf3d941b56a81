import { expect, test } from 'bun:test'
import { parseHostPort } from '#lib/outbound/host-port.ts'

test.each([
  ['registry.npmjs.org', 'registry.npmjs.org:443'],
  ['Mirror.Example:8443', 'mirror.example:8443'],
  ['deb.example:80', 'deb.example:80'],
  ['mirror.example:443', 'mirror.example:443'],
  ['10.0.0.7:3000', '10.0.0.7:3000'],
  ['[::1]:8080', '[::1]:8080'],
])('%s is %s', (text, host) => {
  expect(parseHostPort(text)).toBe(host)
})

test.each([
  '',
  ' ',
  '*',
  '*.example',
  'https://registry.npmjs.org',
  'registry.npmjs.org/',
  'registry.npmjs.org/npm',
  'name@registry.npmjs.org',
  'registry.npmjs.org:0x50',
  'registry.npmjs.org:99999',
  'registry.npmjs.org?',
  '10.0.0.0/8',
])('%p is no host', (text) => {
  expect(parseHostPort(text)).toBeNull()
})
