import { expect, test } from 'bun:test'
import { diagnoseMailError } from '#features/site/diagnose-mail-error.ts'
import { diagnoseOutboundError } from '#features/site/diagnose-outbound-error.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'

test('what went wrong with mail is told apart, with what to look at', () => {
  const says = (code: string, message: string, responseCode?: number) =>
    diagnoseMailError(
      Object.assign(new Error(message), { code, responseCode }),
      'mail.example.com:587',
    )
  expect(says('ESOCKET', 'connect ECONNREFUSED 192.0.2.1:587')).toContain(
    'Nothing listens at mail.example.com:587',
  )
  expect(
    says('ESOCKET', 'error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER'),
  ).toContain('does not begin with encryption')
  expect(says('ESOCKET', 'self signed certificate')).toContain('does not trust')
  expect(says('ESOCKET', `Hostname/IP does not match certificate's altnames`)).toContain(
    'another name',
  )
  expect(says('ETIMEDOUT', 'Greeting never received')).toContain('smtps://')
  expect(
    says('EENVELOPE', `Can't send mail - all recipients were rejected: 550 no`, 550),
  ).toContain('this recipient (550)')
  expect(says('EENVELOPE', 'Mail command failed: 553 no', 553)).toContain('Look at mail.from')
})

test('what went wrong on the way to an address is told apart', () => {
  const says = (message: string, fault: ConstructorParameters<typeof OutboundError>[1]) =>
    diagnoseOutboundError(new OutboundError(message, fault), new URL('https://ci.example.com/hook'))
  expect(says('the name ci.example.com has no address', 'dns')).toContain('name servers')
  expect(
    says('ci.example.com cannot be reached: connect ECONNREFUSED 192.0.2.1:443', 'refused'),
  ).toContain('Nothing listens at ci.example.com')
  expect(
    says('ci.example.com cannot be reached: connect ENETUNREACH 192.0.2.1:443', 'refused'),
  ).toContain('no way from this machine')
  expect(says('ci.example.com cannot be reached: certificate has expired', 'tls')).toContain(
    'has ended (certificate has expired)',
  )
  expect(says('ci.example.com cannot be reached: self signed certificate', 'tls')).toContain(
    'does not trust',
  )
  expect(says('ci.example.com did not answer in time', 'timeout')).toContain('firewall')
  expect(says('10.0.0.1 is not a public address; ask', 'blocked_address')).toBe(
    '10.0.0.1 is not a public address; ask.',
  )
})
