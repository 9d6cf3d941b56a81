/** `info/refs` of smart HTTP in versions 0, 1 and 2 (gitprotocol-http, gitprotocol-v2). */
import { ZERO_OID } from '../object.ts'
import { FLUSH, packetLength, pkt, pktBytes, pktLines } from './pkt-line.ts'
import type { Oid } from '../ports.ts'
import type { SnapshotView } from './snapshot-view.ts'

export type Service = 'git-upload-pack' | 'git-receive-pack'

const UPLOAD = [
  'multi_ack',
  'thin-pack',
  'side-band',
  'side-band-64k',
  'ofs-delta',
  'shallow',
  'deepen-since',
  'deepen-not',
  'deepen-relative',
  'no-progress',
  'include-tag',
  'multi_ack_detailed',
  'allow-tip-sha1-in-want',
  'allow-reachable-sha1-in-want',
  'no-done',
]

const RECEIVE = [
  'report-status',
  'report-status-v2',
  'delete-refs',
  'side-band-64k',
  'quiet',
  'atomic',
  'ofs-delta',
  'push-options',
]

type AdvertiseOptions = {
  /** Prefixes of refs. */
  readonly hidden?: readonly string[]
  /** The commits at which the history of the store ends. */
  readonly shallow?: readonly Oid[]
  /** Whether the command `bundle-uri` is offered. */
  readonly hasBundles?: boolean
  /** Offers signed pushes; a new one each time. */
  readonly pushNonce?: string
}

/** The body of `info/refs`, memoised with the snapshot. */
export function advertise(
  service: Service,
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  agent: string,
  { hidden = [], shallow = [], hasBundles = false, pushNonce }: AdvertiseOptions = {},
): Uint8Array {
  // git-receive-pack has no version 2; such a client gets version 0.
  const version = service === 'git-receive-pack' && protocol === 2 ? 0 : protocol
  const key = `${service} ${version} ${agent} ${hasBundles}${shallow.join()}`
  const announcement = pkt(`# service=${service}\n`)
  const body = view.memoise(key, () => {
    const first = [announcement, FLUSH]
    if (version === 2) return Buffer.concat([...first, capabilities(agent, hasBundles)])
    if (version === 1) first.push(pkt('version 1\n'))
    const lines = refLines(service, view, agent, hidden)
    for (const oid of shallow) lines.push(`shallow ${oid}`)
    return Buffer.concat([...first, pktLines(lines, FLUSH)])
  })
  if (pushNonce === undefined) return body
  const start = announcement.length + FLUSH.length + (version === 1 ? pkt('version 1\n').length : 0)
  return withCapability(body, start, `push-cert=${pushNonce}`)
}

/** Adds a capability to the first line of refs, which begins at an offset. */
function withCapability(body: Uint8Array, start: number, capability: string): Uint8Array {
  const end = start + packetLength(body, start)
  // The line ends in a line feed.
  const line = Buffer.concat([body.subarray(start + 4, end - 1), Buffer.from(` ${capability}\n`)])
  return Buffer.concat([body.subarray(0, start), pktBytes(line), body.subarray(end)])
}

function refLines(
  service: Service,
  view: SnapshotView,
  agent: string,
  hidden: readonly string[],
): string[] {
  const { snapshot } = view
  const upload = service === 'git-upload-pack'
  const caps = upload ? [...UPLOAD] : [...RECEIVE]
  if (upload && view.head !== null) caps.push(`symref=HEAD:${snapshot.head}`)
  if (upload) caps.push('filter')
  caps.push('object-format=sha1', `agent=${agent}`)
  const lines: string[] = []
  if (upload && view.head !== null) lines.push(`${view.head} HEAD`)
  const have = new Set<string>()
  for (const ref of snapshot.refs) {
    if (!upload && hidden.some((prefix) => ref.name.startsWith(prefix))) {
      have.add(ref.oid)
      continue
    }
    lines.push(`${ref.oid} ${ref.name}`)
    if (upload && ref.peeled !== null) lines.push(`${ref.peeled} ${ref.name}^{}`)
  }
  // Objects of hidden refs need not be sent (`show_ref_cb` in git's receive-pack.c).
  for (const oid of have) lines.push(`${oid} .have`)
  if (lines.length === 0) lines.push(`${ZERO_OID} capabilities^{}`)
  lines[0] += `\0${caps.join(' ')}`
  return lines
}

/** The capabilities of version 2. */
export function capabilities(agent: string, hasBundles: boolean): Buffer {
  return Buffer.concat([
    pkt('version 2\n'),
    pkt(`agent=${agent}\n`),
    pkt('ls-refs=unborn\n'),
    pkt('fetch=shallow wait-for-done filter ref-in-want sideband-all\n'),
    pkt('server-option\n'),
    pkt('object-format=sha1\n'),
    pkt('object-info\n'),
    ...(hasBundles ? [pkt('bundle-uri\n')] : []),
    FLUSH,
  ])
}
