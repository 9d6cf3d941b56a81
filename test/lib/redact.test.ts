import { expect, test } from 'bun:test'
import { redactText, redactValue } from '#lib/redact.ts'

const a = (length: number) => 'aB3dE5gH7jK9mN1p'.repeat(16).slice(0, length)

test('every known secret format is replaced by its type', () => {
  const forms: [string, string][] = [
    [`hthu_${a(46)}`, 'hearth-token'],
    [`hthw_${a(46)}`, 'hearth-token'],
    [`htha_${a(46)}`, 'hearth-token'],
    ['AKIAIOSFODNN7EXAMPLE', 'aws-access-key'],
    [`ghp_${a(36)}`, 'github-token'],
    [`github_pat_${a(82)}`, 'github-token'],
    [`glpat-${a(20)}`, 'gitlab-token'],
    [`xoxb-${'1'.repeat(12)}-${a(24)}`, 'slack-token'],
    [`sk_live_${a(24)}`, 'stripe-key'],
    [`AIza${a(35)}`, 'google-api-key'],
    [`sk-ant-api03-${a(80)}`, 'anthropic-key'],
    [`sk-proj-${a(48)}`, 'openai-key'],
    [`npm_${a(36)}`, 'npm-token'],
    [`pypi-AgE${a(60)}`, 'pypi-token'],
    [`hf_${a(34)}`, 'huggingface-token'],
    [`eyJ${a(20)}.eyJ${a(40)}.${a(43)}`, 'json-web-token'],
  ]
  for (const [secret, type] of forms) {
    const { secrets, ...redacted } = redactText(`x=${secret};`)
    expect(redacted).toEqual({ text: `x=[redacted:${type}];`, redacted: true })
    // A wrong checksum, and the example of a manual, are taken out but not told of.
    const isMadeUp = type === 'hearth-token' || secret.endsWith('EXAMPLE')
    expect(secrets.map((found) => [found.type, found.secret])).toEqual(
      isMadeUp ? [] : [[type, secret]],
    )
  }
})

test('a private key is removed whole, also one that is cut off', () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE\nabc=\n`
  expect(redactText(`before\n${key}-----END RSA PRIVATE KEY-----\nafter`).text).toBe(
    'before\n[redacted:private-key]\nafter',
  )
  expect(redactText(`before\n${key}`).text).toBe('before\n[redacted:private-key]')
})

test('passwords in addresses and credentials in headers', () => {
  expect(redactText('git clone https://otto:s3cretpass@host.example/x.git').text).toBe(
    'git clone https://otto:[redacted:password]@host.example/x.git',
  )
  expect(redactText('Authorization: Bearer 0123456789abcdefXYZ').text).toBe(
    'Authorization: Bearer [redacted:credentials]',
  )
  expect(redactText(`curl -H "authorization: basic ${a(24)}"`).text).toBe(
    'curl -H "authorization: basic [redacted:credentials]"',
  )
})

test('similar texts stay', () => {
  for (const text of [
    'hthu_short',
    'sk-learn is a package',
    'sk-a-very-long-class-name-that-some-style-sheet-may-have',
    'https://host.example:8080/path@v1',
    'ghp_ and AKIA',
    `${'0123456789abcdef'.repeat(2)}01234567`,
    'a -----BEGIN CERTIFICATE----- b',
  ]) {
    expect(redactText(text)).toEqual({ text, redacted: false, secrets: [] })
  }
})

test('texts in values of any depth are redacted; names and numbers stay', () => {
  expect(redactValue({ a: [{ b: `ghp_${a(36)}` }, 1, null, true], c: 'x' })).toEqual({
    value: { a: [{ b: '[redacted:github-token]' }, 1, null, true], c: 'x' },
    redacted: true,
    secrets: [{ type: 'github-token', label: 'GitHub token', secret: `ghp_${a(36)}` }],
  })
  expect(redactValue(null)).toEqual({ value: null, redacted: false, secrets: [] })
})
