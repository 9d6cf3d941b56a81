import { expect, test } from 'bun:test'
import { redactText } from '#lib/redact.ts'
import { collectOutput, endOf, OutputText } from '#runner'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const mask = (text: string): string => redactText(text).text

/** What is kept of an output that comes in these pieces. */
function kept(pieces: readonly (string | Uint8Array)[]): string {
  let all = ''
  const text = new OutputText(mask, (part) => void (all += part))
  for (const piece of pieces) text.write(typeof piece === 'string' ? encode(piece) : piece)
  text.end()
  return all
}

test('any bytes become text, wherever they are cut', () => {
  const bytes = encode('grün 🌱\nzweite Zeile')
  for (let at = 0; at <= bytes.length; at++)
    expect(kept([bytes.subarray(0, at), bytes.subarray(at)])).toBe('grün 🌱\nzweite Zeile')
  expect(kept([new Uint8Array([0x61, 0xff, 0xfe, 0x62, 0x0a, 0xe2, 0x82])])).toBe(
    'a\ufffd\ufffdb\n\ufffd',
  )
})

test('colours, cursor movements and controls are left out, and a carriage return hides nothing', () => {
  expect(kept(['\u001b[31mred\u001b[0m \u001b]0;title\u0007x\u001b[2Ky\0\u0008\u007f\n'])).toBe(
    'red xy\n',
  )
  expect(kept(['10%\r50%\r', '100%\r\ndone\r', '\n'])).toBe('10%\n50%\n100%\ndone\n')
})

test('secrets are masked wherever the pieces are cut', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const text = `token=${secret} end\n`
  for (let at = 0; at <= text.length; at++) {
    const all = kept([text.slice(0, at), text.slice(at)])
    expect(all).toBe('token=[redacted:github-token] end\n')
  }
  // Also in a line that does not end for a long time.
  const long = kept([
    ...Array.from({ length: 40 }, () => 'x '.repeat(1_000)),
    secret,
    ...Array.from({ length: 40 }, () => ' x'.repeat(1_000)),
  ])
  expect(long).not.toContain(secret)
  expect(long).toContain('[redacted:github-token]')
})

test('a private key is masked to its end, line by line', () => {
  const lines = [
    'before\n',
    '-----BEGIN RSA PRIVATE KEY-----\n',
    'MIIabc\n',
    'def\n',
    '-----END RSA PRIVATE KEY-----\n',
    'after\n',
  ]
  const all = kept(lines)
  expect(all).not.toContain('MIIabc')
  expect(all).not.toContain('def')
  expect(all.startsWith('before\n')).toBe(true)
  expect(all.endsWith('after\n')).toBe(true)
  // One that never ends does not swallow everything.
  expect(
    kept([
      '-----BEGIN PRIVATE KEY-----\n',
      ...Array.from({ length: 2_000 }, () => `${'A'.repeat(64)}\n`),
      'the rest\n',
    ]),
  ).toContain('the rest')
})

test('what is over the limit is left out, but not its end', () => {
  let all = ''
  const output = collectOutput({ limit: 10, mask, emit: (part) => void (all += part) })
  output.write(encode('0123456789'))
  output.write(encode('cut in the middle\nlast line\n'))
  output.end(true)
  expect(all).toBe('0123456789\n[output left out here]\nlast line\n')

  all = ''
  const whole = collectOutput({ limit: 10, mask, emit: (part) => void (all += part) })
  whole.write(encode('0123456789abc\n'))
  whole.end(false)
  expect(all).toBe('0123456789abc\n')
})

test('the end of a text never begins with half a character', () => {
  expect(endOf('abc', 5)).toBe('abc')
  expect(endOf('a🌱b', 2)).toBe('b')
  expect(endOf('a🌱b', 3)).toBe('🌱b')
})
