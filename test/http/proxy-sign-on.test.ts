import { expect, test } from 'bun:test'
import type { HeaderSignOn } from '#core/settings.ts'
import { proxyIdentityOf } from '#http/proxy-sign-on.ts'
import { createLog } from '#lib/log.ts'
import { testSettings } from '../settings.ts'

const header: HeaderSignOn = {
  id: 'header',
  name: 'Corp',
  username_header: 'x-remote-user',
  id_header: null,
  name_header: 'x-remote-name',
  email_header: 'x-remote-email',
  groups_header: 'x-remote-groups',
  groups_separator: ',',
  sign_up: true,
  link_by_email: false,
  trust_email: true,
  groups: [],
}
const lines: string[] = []
const forge = (change: Partial<HeaderSignOn> = {}) => ({
  settings: testSettings('/nowhere', {
    trusted_proxies: ['10.0.0.0/8', 'fd00::1'],
    sso: { passwords: 'everyone', oidc: [], ldap: null, header: { ...header, ...change } },
  }),
  log: createLog({ level: 'debug', write: (line) => void lines.push(line) }),
})
const ask = (
  headers: Record<string, string>,
  peer: string | null = '10.1.2.3',
  change: Partial<HeaderSignOn> = {},
) => proxyIdentityOf(forge(change), new Request('https://hearth.test/', { headers }), peer)

test('what a proxy of the settings says is taken as it says it', () => {
  const sent = {
    'X-Remote-User': 'Ada',
    'X-Remote-Name': 'Ada Lovelace',
    'X-Remote-Email': 'ada@corp.example',
    'X-Remote-Groups': 'staff, leads,,platform team',
  }
  expect(ask(sent)).toEqual({
    id: 'ada',
    username: 'Ada',
    name: 'Ada Lovelace',
    email: 'ada@corp.example',
    groups: ['staff', 'leads', 'platform team'],
  })
  expect(ask({ 'x-remote-user': 'bob' })).toEqual({
    id: 'bob',
    username: 'bob',
    name: null,
    email: null,
    groups: null,
  })
  expect(ask({ 'x-remote-user': 'bob', 'x-remote-groups': '' })?.groups).toEqual([])
  expect(
    ask({ 'x-remote-user': 'bob', 'x-remote-groups': 'a|b' }, '10.0.0.1', { groups_separator: '|' })
      ?.groups,
  ).toEqual(['a', 'b'])
  for (const peer of ['10.255.0.1', '::ffff:10.0.0.7', 'fd00::1'])
    expect(ask(sent, peer)?.username).toBe('Ada')
  // Proxies write UTF-8 into headers.
  expect(
    ask({ 'x-remote-user': 'zoe', 'x-remote-name': Buffer.from('Zoë Øre').toString('latin1') })
      ?.name,
  ).toBe('Zoë Øre')
})

test('an identifier that stays counts where there is one, and nobody is named without it', () => {
  expect(
    ask({ 'x-remote-user': 'ada', 'x-remote-id': 'E-17' }, '10.0.0.1', { id_header: 'x-remote-id' })
      ?.id,
  ).toBe('E-17')
  expect(ask({ 'x-remote-user': 'ada' }, '10.0.0.1', { id_header: 'x-remote-id' })).toBeNull()
})

test('anybody else’s word is not looked at, whatever they say of where they come from', () => {
  const sent = {
    'x-remote-user': 'root',
    'x-forwarded-for': '10.0.0.1',
    forwarded: 'for=10.0.0.1',
    'x-real-ip': '10.0.0.1',
    'x-forwarded-host': '10.0.0.1',
  }
  for (const peer of [
    '203.0.113.9',
    '127.0.0.1',
    '::1',
    '11.0.0.1',
    'fd00::2',
    '::ffff:11.0.0.1',
    '',
    '10.0.0.1, 10.0.0.1',
    null,
  ])
    expect([peer, ask(sent, peer)]).toEqual([peer, null])
  expect(
    proxyIdentityOf(
      { ...forge(), settings: testSettings('/nowhere', { trusted_proxies: ['10.0.0.0/8'] }) },
      new Request('https://hearth.test/', { headers: sent }),
      '10.0.0.1',
    ),
  ).toBeNull()
  expect(
    proxyIdentityOf(
      { ...forge(), settings: { ...forge().settings, trusted_proxies: [] } },
      new Request('https://hearth.test/', { headers: sent }),
      '10.0.0.1',
    ),
  ).toBeNull()
})

test('a name that the proxy only added to the client’s names nobody, and the log says why', () => {
  const headers = new Headers({ 'x-remote-user': 'root' })
  headers.append('x-remote-user', 'ada')
  expect(
    proxyIdentityOf(forge(), new Request('https://hearth.test/', { headers }), '10.0.0.1'),
  ).toBeNull()
  expect(
    ask({ 'x-remote-user': 'ada', 'x-remote-email': 'root@corp.example, ada@corp.example' }),
  ).toBeNull()
  expect(lines.filter((line) => line.includes('sends a header twice'))).toHaveLength(2)
  expect(lines.join('')).not.toContain('root')
})

test('an empty or endless name is none', () => {
  for (const name of ['', '  ', 'x'.repeat(1001)]) expect(ask({ 'x-remote-user': name })).toBeNull()
})
