import { expect, test } from 'bun:test'
import { diagnoseMailError } from '#features/site/diagnose-mail-error.ts'

test('error codes of the mail library are explained', () => {
  const says = (code: string, message = 'boom') =>
    diagnoseMailError(Object.assign(new Error(message), { code }), 'mail.example.com:587')
  expect(says('EAUTH')).toContain('name and password')
  expect(says('ENOTFOUND')).toContain('no address')
  expect(says('ESOCKET', 'self signed certificate')).toContain('encryption')
  expect(says('ETIMEDOUT')).toContain('firewall')
  expect(diagnoseMailError(null, 'x')).toBe('null')
})
