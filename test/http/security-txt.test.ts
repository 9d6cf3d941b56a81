import { expect, test } from 'bun:test'
import { loadConfig } from '#src/config.ts'
import { DAY } from '#lib/time.ts'
import { START } from '../settings.ts'
import { makeForge } from './forge.ts'

const PATH = '/.well-known/security.txt'

test('security.txt names contacts, policy and an end, and is not there without a contact', async () => {
  expect((await makeForge().get(PATH)).status).toBe(404)
  const forge = makeForge({
    security: {
      contact: ['mailto:a@b.example', 'https://b.example/x'],
      policy: 'https://b.example',
    },
  })
  const response = await forge.get(PATH)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const lines = (await response.text()).trimEnd().split('\n')
  const [expires = ''] = lines.filter((line) => line.startsWith('Expires: '))
  const days = (Date.parse(expires.slice(9)) - START) / DAY
  expect(days).toBeGreaterThan(150)
  expect(days).toBeLessThan(365)
  expect(lines.filter((line) => line !== expires)).toEqual([
    'Contact: mailto:a@b.example',
    'Contact: https://b.example/x',
    `Canonical: https://hearth.test${PATH}`,
    'Policy: https://b.example',
  ])
})

test('addresses that RFC 9116 does not take stop the start', () => {
  const load = (value: string) =>
    loadConfig({ data: '/nowhere' }, { HEARTH_SECURITY_CONTACT: value })
  expect(load('mailto:a@b.example').settings).toBeDefined()
  for (const bad of ['a@b.example', 'http://b.example', 'mailto:a b'])
    expect(() => load(bad)).toThrow('security.contact takes')
})
