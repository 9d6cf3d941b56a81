/** A runner makes itself known: ping, registration, and what it declares at every start. */
import { randomUUID } from 'node:crypto'
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { randomBase62, sameBytes, sha256 } from '#lib/hash.ts'
import { SECOND } from '#lib/time.ts'
import { declaredLabels } from '../inputs.ts'
import {
  findRunner,
  findRunnerByUuid,
  findRunnerToRegister,
  setDeclared,
  setLastSeen,
  setRegistered,
  type RunnerRow,
} from '../store-runners.ts'
import { ConnectError, type Call } from './connect.ts'
import type {
  DeclareRequest,
  DeclareResponse,
  PingRequest,
  PingResponse,
  RegisterRequest,
  RegisterResponse,
} from './messages.ts'
import type { ValueOf } from '#lib/protobuf.ts'

/** So often the time at which a runner was seen is written. */
const SEEN_INTERVAL_MS = 30 * SECOND
const MAX_VERSION_CHARS = 100

type Message<M> = ValueOf<M>

export const ping = ({
  message,
}: Call<Message<typeof PingRequest>, unknown>): Message<typeof PingResponse> => ({
  data: `Hello, ${message.data.slice(0, 1_000)}!`,
})

/** Tasks hold secrets, so nobody between here and the runner may read them. */
function requirePrivate({ isPrivate }: ProtocolRequest): void {
  if (!isPrivate)
    throw new ConnectError(
      'permission_denied',
      'runners connect with HTTPS, because jobs have secrets; plain HTTP only works on the same machine',
    )
}

const NO_RUNNER = 'the runner is not registered, or was removed: register it again'

/** The runner that calls. Throws ConnectError. */
export async function requireCallingRunner(
  hearth: Hearth,
  http: ProtocolRequest,
): Promise<RunnerRow> {
  requirePrivate(http)
  const { headers } = http.request
  const row = findRunnerByUuid(hearth.db, headers.get('x-runner-uuid') ?? '')
  const given = Buffer.from(sha256(headers.get('x-runner-token') ?? ''))
  if (!row || !sameBytes(given, Buffer.from(row.token_hash ?? '')))
    throw new ConnectError('unauthenticated', NO_RUNNER)
  const seen = row.last_seen_at === null ? 0 : Date.parse(row.last_seen_at)
  if (hearth.clock.now() - seen > SEEN_INTERVAL_MS)
    await writeAs(hearth, null, (tx) => setLastSeen(tx, row.id))
  return row
}

/** The labels of a runner that count: those that it declares, within those that it may have. */
function countedLabels(row: RunnerRow, declared: readonly string[]): string[] {
  const labels = declaredLabels(declared)
  const allowed = JSON.parse(row.allowed_labels) as string[]
  return allowed.length === 0 ? labels : labels.filter((label) => allowed.includes(label))
}

const runnerMessage = (row: RunnerRow, token = '') => ({
  id: 0,
  uuid: row.uuid ?? '',
  token,
  name: row.name,
  status: 'RUNNER_STATUS_IDLE' as const,
  version: row.version,
  labels: JSON.parse(row.labels) as string[],
  ephemeral: row.ephemeral === 1,
})

function registerNow(tx: Tx, message: Message<typeof RegisterRequest>, token: string): RunnerRow {
  const row = findRunnerToRegister(tx.db, sha256(message.token))
  if (!row || (row.registration_expires_at ?? '') < tx.now)
    throw new ConnectError(
      'unauthenticated',
      'the registration token is wrong, was used or is older than seven days: add a runner in the settings',
    )
  setRegistered(tx, row.id, {
    uuid: randomUUID(),
    token_hash: sha256(token),
    ephemeral: row.ephemeral === 1 || message.ephemeral ? 1 : 0,
  })
  const declared = message.labels.length > 0 ? message.labels : message.agentLabels
  setDeclared(tx, row.id, {
    version: message.version.slice(0, MAX_VERSION_CHARS),
    labels: countedLabels(row, declared),
  })
  return requireRow(tx, row.id)
}

function requireRow(tx: Tx, id: string): RunnerRow {
  const row = findRunner(tx.db, id)
  if (!row) throw new ConnectError('unauthenticated', NO_RUNNER)
  return row
}

export async function register({
  hearth,
  http,
  message,
}: Call<Message<typeof RegisterRequest>, unknown>): Promise<Message<typeof RegisterResponse>> {
  requirePrivate(http)
  const token = `hrn_${randomBase62(40)}`
  const row = await writeAs(hearth, null, (tx) => registerNow(tx, message, token))
  return { runner: runnerMessage(row, token) }
}

export async function declare({
  hearth,
  http,
  message,
}: Call<Message<typeof DeclareRequest>, unknown>): Promise<Message<typeof DeclareResponse>> {
  const known = await requireCallingRunner(hearth, http)
  const row = await writeAs(hearth, null, (tx) => {
    setDeclared(tx, known.id, {
      version: message.version.slice(0, MAX_VERSION_CHARS),
      labels: countedLabels(known, message.labels),
    })
    return requireRow(tx, known.id)
  })
  return { runner: runnerMessage(row) }
}
