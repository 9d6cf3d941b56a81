import { expect, test } from 'bun:test'
import { escapeFilter } from '#features/sso/ldap.ts'
import { SLAPD } from './slapd.ts'

if (SLAPD === null)
  process.stderr.write(
    'LDAP is not tested here: slapd is not installed (on Debian: apt-get install slapd)\n',
  )

test('input cannot change the LDAP filter', () => {
  expect(escapeFilter('a*)(uid=\\admin\0')).toBe('a\\2a\\29\\28uid=\\5cadmin\\00')
})
