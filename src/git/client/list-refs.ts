/**
 * Lists the refs of a remote: from the advertisement of old versions, or with `ls-refs` of version
 * 2 (gitprotocol-v2).
 */
import { isOid } from '../object.ts'
import { DELIM, FLUSH, pkt } from '../protocol/pkt-line.ts'
import { ResponseReader, requireLine } from './response-reader.ts'
import {
  userAgentOf,
  discover,
  RefList,
  requireOk,
  type Advertisement,
  type Client,
} from './discover.ts'
import { RemoteError, type RemoteOptions, type RemoteRefs } from './ports.ts'

const MAX_REFS_BYTES = 256 << 20

export async function listRemote(client: Client, options: RemoteOptions): Promise<RemoteRefs> {
  return await readRefs(client, await discover(client, 'git-upload-pack', options), options)
}

/** The first lines of every command of version 2. */
export const commandLines = (client: Client, command: string): Buffer[] => [
  pkt(`command=${command}\n`),
  pkt(`agent=${client.agent}\n`),
  pkt('object-format=sha1\n'),
  DELIM,
]

/** Sends one request to a service. Throws RemoteError unless the response is git's. */
export async function postToService(
  client: Client,
  advertisement: Advertisement,
  service: string,
  body: Uint8Array | ReadableStream<Uint8Array>,
  options: RemoteOptions,
  limit?: number,
): Promise<ResponseReader> {
  const { protocol } = advertisement
  const response = await client.transport({
    method: 'POST',
    url: `${advertisement.base}/${service}`,
    headers: {
      'user-agent': userAgentOf(client),
      'content-type': `application/x-${service}-request`,
      accept: `application/x-${service}-result`,
      'accept-encoding': 'identity',
      ...(protocol === 0 ? {} : { 'git-protocol': `version=${protocol}` }),
    },
    body,
    redirect: false,
    signal: options.signal ?? null,
  })
  const answer = new ResponseReader(response.body, limit, options.speedLimits)
  try {
    requireOk(response, 'the repository')
    if (
      response.header('content-type')?.split(';')[0]?.trim() !== `application/x-${service}-result`
    ) {
      throw new RemoteError(
        'invalid',
        'the remote answered with something else than git’s protocol',
      )
    }
  } catch (error) {
    await answer.cancel()
    throw error
  }
  return answer
}

export async function readRefs(
  client: Client,
  advertisement: Advertisement,
  options: RemoteOptions,
): Promise<RemoteRefs> {
  if (advertisement.refs !== null) return advertisement.refs
  const { capabilities } = advertisement
  if (!capabilities.has('ls-refs'))
    throw new RemoteError('unsupported', 'the remote does not list its refs')
  const args = ['peel', 'symrefs', ...(capabilities.offers('ls-refs', 'unborn') ? ['unborn'] : [])]
  if (options.prefixes)
    args.push('ref-prefix HEAD', ...options.prefixes.map((prefix) => `ref-prefix ${prefix}`))
  const body = Buffer.concat([
    ...commandLines(client, 'ls-refs'),
    ...args.map((arg) => pkt(`${arg}\n`)),
    FLUSH,
  ])
  const answer = await postToService(
    client,
    advertisement,
    'git-upload-pack',
    body,
    options,
    MAX_REFS_BYTES,
  )
  try {
    const list = new RefList(options)
    for (;;) {
      const packet = await answer.requirePacket()
      if (packet.kind !== 'data') break
      readLine(list, requireLine(packet))
    }
    return list.done(2)
  } finally {
    await answer.close()
  }
}

/** `<id or "unborn"> <name>`, followed by attributes. */
function readLine(list: RefList, line: string): void {
  const [oid = '', name = '', ...attributes] = line.split(' ')
  if (name === '' || (oid !== 'unborn' && !isOid(oid)))
    throw new RemoteError('corrupt', 'the remote’s list of refs is malformed')
  let peeled: string | null = null
  for (const attribute of attributes) {
    if (attribute.startsWith('symref-target:') && name === 'HEAD')
      list.head = attribute.slice('symref-target:'.length)
    else if (attribute.startsWith('peeled:') && isOid(attribute.slice('peeled:'.length)))
      peeled = attribute.slice('peeled:'.length)
  }
  if (oid !== 'unborn') list.add({ name, oid, peeled })
}
