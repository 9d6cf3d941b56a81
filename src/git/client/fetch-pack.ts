/**
 * Asking for a pack (gitprotocol-v2 "fetch"; gitprotocol-pack "Packfile Negotiation"). HTTP keeps
 * no state between requests, so each round of version 2 says again what both sides are known to
 * have. Versions 0 and 1 are asked once, with everything that this side would tell.
 */
import { isOid } from '../object.ts'
import type { Oid } from '../ports.ts'
import { FLUSH, pkt } from '../protocol/pkt-line.ts'
import { Answer, requireLine, unband } from './answer.ts'
import type { Advertisement, Client } from './discover.ts'
import { commandLines, post } from './list-refs.ts'
import { RemoteError, type RemoteOptions } from './ports.ts'

export type PackSink = { put(bytes: Uint8Array): Promise<void> }

export type PackWish = {
  readonly wants: readonly Oid[]
  /** What this side has, the most telling first. */
  readonly haves: readonly Oid[]
  readonly onProgress: (text: string) => void
}

/** Ids in the first round of version 2; each further round tells twice as many new ones. */
const FIRST_ROUND = 64

/**
 * Asks until a pack comes, and passes its bytes on. Throws RemoteError for a remote that does not
 * keep to the protocol.
 */
export async function fetchPack(
  client: Client,
  advertisement: Advertisement,
  wish: PackWish,
  sink: PackSink,
  options: RemoteOptions,
): Promise<void> {
  if (advertisement.protocol === 2) await fetchV2(client, advertisement, wish, sink, options)
  else await fetchV0(client, advertisement, wish, sink, options)
}

async function fetchV2(
  client: Client,
  advertisement: Advertisement,
  wish: PackWish,
  sink: PackSink,
  options: RemoteOptions,
): Promise<void> {
  if (!advertisement.capabilities.has('fetch'))
    throw new RemoteError('unsupported', 'the remote cannot be fetched from')
  const head = [
    ...commandLines(client, 'fetch'),
    pkt('ofs-delta\n'),
    ...(wish.haves.length > 0 ? [pkt('thin-pack\n')] : []),
    ...wish.wants.map((oid) => pkt(`want ${oid}\n`)),
  ]
  const common = new Set<Oid>()
  for (let at = 0, round = FIRST_ROUND; ; round *= 2) {
    const fresh = wish.haves.slice(at, at + round)
    at += fresh.length
    const done = at >= wish.haves.length
    const told = [...common, ...fresh.filter((oid) => !common.has(oid))].map((oid) =>
      pkt(`have ${oid}\n`),
    )
    const body = Buffer.concat([...head, ...told, ...(done ? [pkt('done\n')] : []), FLUSH])
    const answer = await post(client, advertisement, 'git-upload-pack', body, options)
    try {
      if (await readV2(answer, common, wish, sink)) return
      if (done) throw new RemoteError('invalid', 'the remote sent no pack')
    } finally {
      await answer.cancel()
    }
  }
}

/** Reads the sections of one answer; gives whether the pack was among them. */
async function readV2(
  answer: Answer,
  common: Set<Oid>,
  wish: PackWish,
  sink: PackSink,
): Promise<boolean> {
  for (;;) {
    const section = requireLine(await answer.expect())
    if (section === 'packfile') {
      await readBands(answer, wish.onProgress, sink)
      return true
    }
    let more = false
    for (;;) {
      const packet = await answer.expect()
      if (packet.kind !== 'data') {
        more = packet.kind === 'delim'
        break
      }
      const line = requireLine(packet)
      if (section === 'acknowledgments') {
        const oid = line.startsWith('ACK ') ? line.slice(4, 44) : null
        if (oid !== null && isOid(oid)) common.add(oid)
      } else if (section === 'shallow-info') {
        if (line.startsWith('shallow '))
          throw new RemoteError(
            'unsupported',
            'the remote is itself a shallow copy, whose history is not whole',
          )
      } else if (section !== 'wanted-refs')
        throw new RemoteError(
          'unsupported',
          `the remote answers with “${section.replace(/[^ -~]/g, ' ').slice(0, 40)}”, which nobody asked for`,
        )
    }
    if (!more) return false
  }
}

async function readBands(
  answer: Answer,
  onProgress: (text: string) => void,
  sink: PackSink,
): Promise<void> {
  for (;;) {
    const packet = await answer.expect()
    if (packet.kind !== 'data') return
    const part = unband(packet.data, onProgress)
    if (part === null) continue
    answer.flows()
    await sink.put(part)
  }
}

/** So many ids fit into a request that every server takes. */
const MOST_HAVES_V0 = 4096

async function fetchV0(
  client: Client,
  advertisement: Advertisement,
  wish: PackWish,
  sink: PackSink,
  options: RemoteOptions,
): Promise<void> {
  const { capabilities } = advertisement
  const asked = [
    'multi_ack_detailed',
    'side-band-64k',
    'ofs-delta',
    ...(wish.haves.length > 0 ? ['thin-pack'] : []),
  ].filter((word) => capabilities.has(word))
  if (capabilities.has('object-format')) asked.push('object-format=sha1')
  if (capabilities.has('agent')) asked.push(`agent=${client.agent}`)
  const body = Buffer.concat([
    ...wish.wants.map((oid, i) => pkt(`want ${oid}${i === 0 ? ` ${asked.join(' ')}` : ''}\n`)),
    FLUSH,
    ...wish.haves.slice(0, MOST_HAVES_V0).map((oid) => pkt(`have ${oid}\n`)),
    pkt('done\n'),
  ])
  const answer = await post(client, advertisement, 'git-upload-pack', body, options)
  try {
    for (;;) {
      const line = requireLine(await answer.expect())
      // The last acknowledgment says nothing behind the id.
      if (line === 'NAK' || (line.startsWith('ACK ') && line.length === 44)) break
      if (line.startsWith('shallow '))
        throw new RemoteError(
          'unsupported',
          'the remote is itself a shallow copy, whose history is not whole',
        )
      if (!line.startsWith('ACK '))
        throw new RemoteError('corrupt', 'the remote’s answer is not in git’s protocol')
    }
    if (asked.includes('side-band-64k')) await readBands(answer, wish.onProgress, sink)
    else {
      answer.flows()
      for (let part; (part = await answer.raw()) !== null; ) await sink.put(part)
    }
  } finally {
    await answer.cancel()
  }
}
