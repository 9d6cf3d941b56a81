/**
 * Requests a pack (gitprotocol-v2 "fetch"; gitprotocol-pack "Packfile Negotiation"). HTTP is
 * stateless, so each round of version 2 repeats the common commits. Versions 0 and 1 get one
 * request with all `have` lines.
 */
import { isOid } from '../object.ts'
import type { Oid } from '../ports.ts'
import { FLUSH, pkt } from '../protocol/pkt-line.ts'
import { type ResponseReader, requireLine, demultiplex } from './response-reader.ts'
import { addShallow, type Advertisement, type Client } from './discover.ts'
import { commandLines, postToService } from './list-refs.ts'
import { RemoteError, type RemoteOptions } from './ports.ts'

export type PackSink = {
  put(bytes: Uint8Array): Promise<void>
  /** The commits at which the history of the remote ends; set before the first bytes. */
  shallow: readonly Oid[]
}

export type PackRequest = {
  readonly wants: readonly Oid[]
  /** What this side has, the most useful ids first. */
  readonly haves: readonly Oid[]
  /** The commits at which the history of this side ends. */
  readonly shallow: readonly Oid[]
  readonly onProgress: (text: string) => void
}

/** The ids of the first round of version 2; each further round has twice as many new ones. */
const FIRST_ROUND_HAVES = 64

/**
 * Negotiates until a pack comes, and passes on its bytes. Throws RemoteError for a violation of the
 * protocol.
 */
export async function fetchPack(
  client: Client,
  advertisement: Advertisement,
  wish: PackRequest,
  sink: PackSink,
  options: RemoteOptions,
): Promise<void> {
  if (advertisement.protocol === 2) await fetchV2(client, advertisement, wish, sink, options)
  else await fetchV0(client, advertisement, wish, sink, options)
}

async function fetchV2(
  client: Client,
  advertisement: Advertisement,
  wish: PackRequest,
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
    ...shallowLines(advertisement, wish),
  ]
  const common = new Set<Oid>()
  for (let at = 0, round = FIRST_ROUND_HAVES; ; round *= 2) {
    const fresh = wish.haves.slice(at, at + round)
    at += fresh.length
    const done = at >= wish.haves.length
    const told = [...common, ...fresh.filter((oid) => !common.has(oid))].map((oid) =>
      pkt(`have ${oid}\n`),
    )
    const body = Buffer.concat([...head, ...told, ...(done ? [pkt('done\n')] : []), FLUSH])
    const answer = await postToService(client, advertisement, 'git-upload-pack', body, options)
    try {
      if (await readV2(answer, common, wish, sink)) return
      if (done) throw new RemoteError('invalid', 'the remote sent no pack')
    } finally {
      await answer.close()
    }
  }
}

/** Tells the remote where the history of this side ends, if it knows of such clients. */
function shallowLines({ protocol, capabilities }: Advertisement, wish: PackRequest): Buffer[] {
  const isKnown =
    protocol === 2 ? capabilities.offers('fetch', 'shallow') : capabilities.has('shallow')
  return isKnown ? wish.shallow.map((oid) => pkt(`shallow ${oid}\n`)) : []
}

/** Reads the sections of a response; returns whether the pack was among them. */
async function readV2(
  answer: ResponseReader,
  common: Set<Oid>,
  wish: PackRequest,
  sink: PackSink,
): Promise<boolean> {
  const shallow: Oid[] = []
  for (;;) {
    const section = requireLine(await answer.requirePacket())
    if (section === 'packfile') {
      sink.shallow = shallow
      await readBands(answer, wish.onProgress, sink)
      return true
    }
    let more = false
    for (;;) {
      const packet = await answer.requirePacket()
      if (packet.kind !== 'data') {
        more = packet.kind === 'delim'
        break
      }
      const line = requireLine(packet)
      if (section === 'acknowledgments') {
        const oid = line.startsWith('ACK ') ? line.slice(4, 44) : null
        if (oid !== null && isOid(oid)) common.add(oid)
      } else if (section === 'shallow-info') {
        if (line.startsWith('shallow ')) addShallow(shallow, line)
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
  answer: ResponseReader,
  onProgress: (text: string) => void,
  sink: PackSink,
): Promise<void> {
  for (;;) {
    const packet = await answer.requirePacket()
    if (packet.kind !== 'data') return
    const part = demultiplex(packet.data, onProgress)
    if (part === null) continue
    answer.startTransfer()
    await sink.put(part)
  }
}

/** A request with this many ids is accepted by all servers. */
const MAX_HAVES_V0 = 4096

async function fetchV0(
  client: Client,
  advertisement: Advertisement,
  wish: PackRequest,
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
    ...shallowLines(advertisement, wish),
    FLUSH,
    ...wish.haves.slice(0, MAX_HAVES_V0).map((oid) => pkt(`have ${oid}\n`)),
    pkt('done\n'),
  ])
  sink.shallow = advertisement.shallow
  const answer = await postToService(client, advertisement, 'git-upload-pack', body, options)
  try {
    for (;;) {
      const line = requireLine(await answer.requirePacket())
      // The last acknowledgment has nothing after the id.
      if (line === 'NAK' || (line.startsWith('ACK ') && line.length === 44)) break
      if (!line.startsWith('ACK '))
        throw new RemoteError('corrupt', 'the remote’s answer is not in git’s protocol')
    }
    if (asked.includes('side-band-64k')) await readBands(answer, wish.onProgress, sink)
    else {
      answer.startTransfer()
      let part = await answer.readRaw()
      while (part !== null) {
        await sink.put(part)
        part = await answer.readRaw()
      }
    }
  } finally {
    await answer.cancel()
  }
}
