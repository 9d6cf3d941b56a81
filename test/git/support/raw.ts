/** Speaking the protocols by hand: requests that a well-behaved git never makes. */
import { FLUSH, lineOf, packetLength, pkt } from '../../../src/git/protocol/pkt-line.ts'
import type { TestHost } from './host.ts'

export const ZERO = '0'.repeat(40)

export type PushAnswer = {
  readonly text: string
  readonly unpack: string
  readonly refs: Map<string, string>
}

/** Pushes commands and a pack; gives the report by ref. */
export async function rawPush(
  host: TestHost,
  namespace: string,
  commands: readonly (readonly [old: string | null, next: string | null, name: string])[],
  pack: Uint8Array | null,
  features = 'report-status side-band-64k',
): Promise<PushAnswer> {
  const lines = commands.map(([old, next, name], i) =>
    pkt(`${old ?? ZERO} ${next ?? ZERO} ${name}${i === 0 ? `\0${features}` : ''}`),
  )
  const response = await fetch(`${host.remote(namespace)}/git-receive-pack`, {
    method: 'POST',
    body: Buffer.concat([...lines, FLUSH, ...(pack ? [pack] : [])]),
  })
  const bytes = await response.bytes()
  const report = features.includes('side-band-64k') ? bandOf(bytes, 1) : Buffer.from(bytes)
  const text = dataLines(report)
  const refs = new Map<string, string>()
  for (const line of text.slice(1)) {
    const match = /^(ok|ng) (\S+) ?(.*)$/.exec(line)
    if (match) refs.set(match[2]!, match[1] === 'ok' ? 'ok' : match[3]!)
  }
  return {
    text: Buffer.from(bytes).toString('latin1'),
    unpack: (text[0] ?? '').replace(/^unpack /, ''),
    refs,
  }
}

/** The lines of the packets of a body; flushes are left out. */
export function dataLines(bytes: Uint8Array): string[] {
  const lines: string[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = packetLength(bytes, at)
    if (length < 4) {
      at += 4
      continue
    }
    lines.push(lineOf(Buffer.from(bytes.subarray(at + 4, at + length))))
    at += length
  }
  return lines
}

/** What came on one side band. */
export function bandOf(bytes: Uint8Array, band: number): Buffer {
  const parts: Uint8Array[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = packetLength(bytes, at)
    if (length < 5) {
      at += 4
      continue
    }
    if (bytes[at + 4] === band) parts.push(bytes.subarray(at + 5, at + length))
    at += length
  }
  return Buffer.concat(parts)
}

/** One command of version 2; gives the body of the answer. */
export async function rawV2(
  host: TestHost,
  namespace: string,
  command: string,
  args: readonly string[],
): Promise<Buffer> {
  const body = Buffer.concat([
    pkt(`command=${command}\n`),
    pkt('object-format=sha1\n'),
    Buffer.from('0001'),
    ...args.map((arg) => pkt(`${arg}\n`)),
    FLUSH,
  ])
  const response = await fetch(`${host.remote(namespace)}/git-upload-pack`, {
    method: 'POST',
    body,
    headers: { 'git-protocol': 'version=2' },
  })
  return Buffer.from(await response.bytes())
}
