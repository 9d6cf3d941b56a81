/** The state of the standby in one line, for the doctor. */
import type { ReplicationStatus } from '#core/replication.ts'
import type { Settings } from '#core/settings.ts'
import { openChannel, type Channel } from '#src/standby/channel.ts'
import { readPairKey } from '#src/standby/pair-key.ts'
import { readRole } from '#src/standby/role.ts'

type StandbySettings = NonNullable<Settings['standby']>

/** A connection to the process of this machine; null when none answers. Throws without a key. */
export async function openOwnChannel(data: string, listen: StandbySettings['listen']) {
  const { host, port } = listen
  const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const pair = readPairKey(data)
  return await openChannel({ host: own, port }, pair).catch(() => null)
}

async function askStatus(channel: Channel): Promise<ReplicationStatus> {
  try {
    await channel.send({ type: 'status' })
    const { message } = await channel.receive()
    return message.status as ReplicationStatus
  } finally {
    channel.close()
  }
}

export async function describeStandby({
  data,
  standby,
}: Pick<Settings, 'data' | 'standby'>): Promise<{ text: string; isFault: boolean }> {
  const { role, term, peer } = readRole(data)
  if (role === 'fenced')
    return {
      text: `${peer ?? 'another machine'} has taken over from this one, which changes nothing any more (term ${term})`,
      isFault: true,
    }
  if (standby === null) return { text: 'none is set (standby.listen)', isFault: false }
  try {
    const channel = await openOwnChannel(data, standby.listen)
    if (channel === null)
      return { text: `primary of term ${term}; nothing serves here now`, isFault: false }
    const status = await askStatus(channel)
    if (status.refusal !== null) return { text: status.refusal, isFault: true }
    if (status.standby === null)
      return { text: `primary of term ${term}, and no standby follows`, isFault: true }
    return {
      text: `primary of term ${term}; ${status.standby} ${status.is_complete ? 'follows' : 'fetches what it lacks'}, ${status.lag_commits} changes (${status.lag_bytes} bytes, ${status.lag_ms} ms) behind`,
      isFault: false,
    }
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isFault: true }
  }
}
