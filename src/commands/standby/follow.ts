/** `hearth standby follow`: keeps a copy of another machine, and serves once it has taken over. */
import { layout } from '#src/app.ts'
import { loadConfig, type Config } from '#src/config.ts'
import { emptyLog, takeLock } from '#core/db.ts'
import { createLog, type Log } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { createNotify } from '#lib/sd-notify.ts'
import type { Channel } from '#src/standby/channel.ts'
import { Follower, TakeOverRefusal } from '#src/standby/follower.ts'
import { readPairKey } from '#src/standby/pair-key.ts'
import { parseAddress } from '#src/standby/peer.ts'
import { readRole, type Role } from '#src/standby/role.ts'
import { existsSync, readFileSync } from 'node:fs'
import { CommandError, text, type Flags } from '../command.ts'
import { openPort } from '../listen.ts'
import { requireOwnData } from '../own-data.ts'
import { serve } from '../serve.ts'
import { say } from '../terminal.ts'

export const configOf = (flags: Flags): Config =>
  loadConfig({ data: text(flags.data), config: text(flags.config), listen: text(flags.listen) })

/** The settings of the standby. Throws CommandError without them. */
export function requireStandbySettings(config: Config) {
  const { standby } = config.settings(config.listen)
  if (standby === null)
    throw new CommandError(
      'set standby.listen in hearth.toml, such as listen = "10.0.0.2:3100" below [standby]',
    )
  return standby
}

/** Throws CommandError for a directory whose forge would be replaced without being asked for. */
function requireReplaceable(data: string, { role }: Role, isRejoin: boolean): void {
  if (role === 'primary' && existsSync(layout(data).database) && !isRejoin)
    throw new CommandError(
      `${data} has a forge of its own. With --rejoin it becomes the copy, and its database is kept in ${data}/standby`,
    )
}

/** A follower of the machine that the arguments, the role or the settings name. */
export function openFollower(config: Config, log: Log, primary: string | undefined): Follower {
  const { data } = config
  const standby = requireStandbySettings(config)
  const address = primary ?? readRole(data).peer ?? standby.peer
  const parsed = address === null ? null : parseAddress(address)
  if (parsed === null)
    throw new CommandError(
      `name the first machine as HOST:PORT${address === null ? '' : `, not ${address}`}`,
    )
  try {
    return new Follower({
      data,
      primary: parsed,
      listen: standby.listen,
      pair: readPairKey(data),
      clock: systemClock,
      log,
      emptyLog,
    })
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}

/** Locks the data directory, so that nothing else serves or follows in it. */
export function lockDirectory(data: string): () => void {
  const release = takeLock(layout(data).lock)
  if (release) return release
  throw new CommandError(`another process serves or follows in ${data}`)
}

/** Answers load balancers: the machine lives, and is not ready to serve. */
function startHealthServer(config: Config, follower: Follower): { stop: () => Promise<void> } {
  const { listen, tls } = config
  if (listen.unix !== null || tls.acme !== null || config.supervisor.sockets > 0)
    return { stop: async () => {} }
  const server = Bun.serve({
    hostname: listen.host,
    port: listen.port,
    ...(tls.files && {
      tls: { cert: readFileSync(tls.files.certificate), key: readFileSync(tls.files.key) },
    }),
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (/^(?:\/api)?\/livez$/.test(pathname)) return Response.json({ status: 'ok' })
      const { is_connected, is_complete } = follower.status()
      return Response.json(
        { status: 'unavailable', checks: { standby: 'stands by' }, is_connected, is_complete },
        { status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } },
      )
    },
  })
  say(`hearth standby on ${server.url.origin}`)
  return { stop: () => server.stop(true) }
}

/** Takes over when an administrator asks for it. Resolves once this machine is the primary. */
function takeOverOnRequest(follower: Follower): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isBusy = false
  follower.onRequest = async (channel: Channel, { message }) => {
    if (message.type !== 'promote') return
    if (isBusy) return await channel.send({ type: 'refused', reason: 'it takes over already' })
    isBusy = true
    try {
      const { term } = await follower.takeOver(message.force === true, (line) => {
        void channel.send({ type: 'line', line }).catch(() => {})
      })
      await channel.send({ type: 'promoted', term }).catch(() => {})
      resolve()
    } catch (error) {
      isBusy = false
      if (!(error instanceof TakeOverRefusal)) throw error
      await channel.send({ type: 'refused', reason: error.message })
    }
  }
  return promise
}

export async function follow(flags: Flags, primary: string | undefined): Promise<number> {
  const config = configOf(flags)
  const role = readRole(config.data)
  // A service that restarts after the take-over serves.
  if (role.role === 'primary' && role.term > 1 && !flags.rejoin)
    return (await serve.run({ args: [], flags: withoutRejoin(flags) })) ?? 0
  requireOwnData(config.data)
  requireReplaceable(config.data, role, flags.rejoin === true)
  const log = createLog(config.log)
  const release = lockDirectory(config.data)
  const notify = createNotify(config.supervisor.notify, () => {})
  const follower = openFollower(config, log, primary)
  const health = await openPort(config.listen, () => startHealthServer(config, follower))
  const stopped = new Promise<'stopped'>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve('stopped'))
  })
  const promoted = takeOverOnRequest(follower).then(() => 'promoted' as const)
  await follower.start()
  notify('READY=1', `STATUS=stands by for ${follower.status().primary}`)
  const outcome = await Promise.race([stopped, promoted])
  if (outcome === 'stopped') await follower.stop()
  await health.stop()
  release()
  if (outcome === 'stopped') return 0
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.removeAllListeners(name)
  return (await serve.run({ args: [], flags: withoutRejoin(flags) })) ?? 0
}

const withoutRejoin = ({ rejoin: _, ...flags }: Flags): Flags => flags
