import { expect, test } from 'bun:test'
import { checksum62, randomBase62 } from '#lib/hash.ts'
import { redactText } from '#lib/redact.ts'
import { nameOfSecret } from '#lib/secrets/refused-secret.ts'

const a = (length: number) => 'aB3dE5gH7k'.repeat(40).slice(0, length)
const own = `hthu_${randomBase62(40)}`

const REFUSED: readonly (readonly [secret: string, name: string])[] = [
  [own + checksum62(own), 'an access token'],
  ['AKIAZ3QW7RT5YB2MNC4V', 'an AWS access key'],
  [`ghp_${a(36)}`, 'a GitHub token'],
  [`github_pat_${a(82)}`, 'a GitHub token'],
  [`glpat-${a(20)}`, 'a GitLab token'],
  [`xoxb-${a(24)}`, 'a Slack token'],
  [`https://hooks.slack.com/services/${a(40)}`, 'a Slack webhook address'],
  [`sk_live_${a(24)}`, 'a Stripe key'],
  [`sk-ant-api03-${a(80)}`, 'an Anthropic key'],
  [`sk-proj-${a(48)}`, 'an OpenAI key'],
  [`npm_${a(36)}`, 'an npm token'],
  [`pypi-AgE${a(60)}`, 'a PyPI token'],
  [`SG.${a(22)}.${a(43)}`, 'a SendGrid key'],
  [`hf_${a(34)}`, 'a Hugging Face token'],
  [`ya29.${a(60)}`, 'a Google OAuth token'],
]

test('what is refused is also redacted', () => {
  for (const [secret, name] of REFUSED) {
    const text = `x = "${secret}"`
    expect([secret, nameOfSecret(text)]).toEqual([secret, name])
    expect(redactText(text).text).not.toContain(secret)
  }
})

test('examples, and secrets that test data may hold, are not refused', () => {
  for (const text of [
    'AKIAIOSFODNN7EXAMPLE',
    `ghp_${'x'.repeat(36)}`,
    'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    `hthu_${a(46)}`,
    '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
    `eyJ${a(20)}.eyJ${a(40)}.${a(43)}`,
    `sk_test_${a(24)}`,
    `AIza${a(35)}`,
    'hf_ and npm_ and SG.x',
  ])
    expect([text, nameOfSecret(text)]).toEqual([text, null])
})
