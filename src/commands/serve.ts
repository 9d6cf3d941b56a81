import { layout, openHearth } from '#src/app.ts'
import { loadConfig, type Config } from '#src/config.ts'
import { issueSetupLink } from '#features/accounts/index.ts'
import { prepareChecks } from '#features/checks/index.ts'
import { visitorOf } from '#http/authenticate.ts'
import { docsData } from '#http/rest/api-reference.ts'
import { GitServer } from '#http/git/git-server.ts'
import { proxyIdentityOf } from '#http/proxy-sign-on.ts'
import { startRedirect } from '#http/listener/https-redirect.ts'
import { takeLock } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { RunningSshServer } from '#src/ssh/ssh-server.ts'
import { lazy } from '#lib/lazy.ts'
import { createLog } from '#lib/log.ts'
import { SECOND } from '#lib/time.ts'
import { createNotify, type Notify } from '#lib/sd-notify.ts'
import { withTimeout } from '#lib/waiting.ts'
import { SiteServer } from '#web/site-server.ts'
import { siteMap } from '#web/index.ts'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'
import { listen, type Listener } from './listen.ts'
import { findServing, type Serving } from './open.ts'
import { requireOwnData } from './own-data.ts'
import { requireServable, startPrimary } from './standby/serve-primary.ts'

/**
 * How long jobs and the engine may take to end after the last request. Service managers wait 45
 * seconds in total (`assets/hearth.service`).
 */
const CLOSE_TIMEOUT_MS = 10 * SECOND

export const serve: Command = {
  name: 'serve',
  summary: 'Runs the forge: website, REST, tool server and git on one port.',
  args: [],
  flags: {
    ...DATA_FLAGS,
    listen: {
      value: 'HOST:PORT',
      help: 'Where to listen (127.0.0.1:3000; port 0 picks one), or unix:/path.',
    },
    'site-url': { value: 'URL', help: 'The public address (made from the listener).' },
  },

  async run({ flags }) {
    const config = loadConfig({
      data: text(flags.data),
      config: text(flags.config),
      listen: text(flags.listen),
      site_url: text(flags['site-url']),
    })
    const log = createLog(config.log)
    requireOwnData(config.data)
    requireServable(config.data, config.settings(config.listen).standby !== null)
    const release = lockData(config.data)
    const notify = createNotify(config.supervisor.notify, (error) =>
      log.warn('systemd cannot be told how it goes', { error }),
    )
    // The port is opened first, because the real address is part of the settings. Requests wait
    // until the forge is open.
    const listener = await listen(config, log)
    const hearth = openHearth({
      settings: config.settings({ host: config.listen.host, port: listener.server.port }),
      log,
    })
    const primary = await startPrimary(hearth)
    const redirect = openDoors(hearth, config, listener)
    const ssh = await openSsh(hearth)
    const control = writeControlFile(config.data, hearth.settings.site_url)
    // Signals are handled before the address is printed, so that an early one ends it cleanly too.
    const stopped = nextStopSignal()
    await announce(hearth, primary?.isWritable ?? true)
    // The executable starts with a reluctant compiler (`scripts/build.ts`).
    Bun.unsafe.setJITPolicy(1)
    if (primary === null || primary.isWritable) await startJobs(hearth)
    else void primary.untilWritable().then(() => startJobs(hearth))
    listener.certificates.start()
    notify('READY=1', `STATUS=serving ${hearth.settings.site_url}`)
    const watchdog = startWatchdog(config.supervisor.watchdog_ms, notify)
    const { site_url, version } = hearth.settings
    log.info('serving', { site_url, data: config.data, version })

    log.info('stopping', { signal: await stopped })
    notify('STOPPING=1')
    listener.certificates.stop()
    await redirect?.stop()
    hearth.drain()
    await Promise.all([listener.server.stop(), ssh?.stop()])
    // Work that is cut off then is like work of a killed process: the next start continues it.
    await withTimeout(hearth.close(), CLOSE_TIMEOUT_MS, () =>
      log.warn('some work did not end in time; the next start takes it up'),
    )
    await primary?.close()
    if (watchdog) clearInterval(watchdog)
    rmSync(control, { force: true })
    release()
    return 0
  },
}

/** Locks the data directory. Throws CommandError when another process serves it. */
function lockData(data: string): () => void {
  const release = takeLock(layout(data).lock)
  if (release) return release
  const other = findServing(data)
  throw new CommandError(
    `${data} is already served${other ? ` by process ${other.pid} at ${other.site_url}` : ''}`,
  )
}

/** Answers requests: website, REST, tools, git, and the redirect of unencrypted requests. */
function openDoors(hearth: Hearth, config: Config, { server, certificates }: Listener) {
  const { settings } = hearth
  const site = new SiteServer(
    hearth,
    siteMap(settings, { docs: lazy(() => docsData(hearth)) }),
    visitorOf,
    proxyIdentityOf,
  )
  const redirect =
    config.tls.redirect &&
    startRedirect({
      ...config.tls.redirect,
      site_url: settings.site_url,
      challenge: certificates.tokenResponse,
    })
  server.open(hearth, { git: new GitServer(hearth), site })
  return redirect
}

/**
 * Serves git over SSH when it is configured, and only then loads the code for it. Throws
 * CommandError when the port cannot be opened.
 */
async function openSsh(hearth: Hearth): Promise<RunningSshServer | null> {
  const { ssh } = hearth.settings
  if (ssh === null) return null
  try {
    const { startSshServer } = await import('#src/ssh/ssh-server.ts')
    const server = await startSshServer(hearth, ssh)
    hearth.log.info('serving git over SSH', { host: ssh.host, port: server.port })
    return server
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`ssh.listen ${ssh.host}:${ssh.port} cannot be opened: ${reason}`)
  }
}

/** Writes the address and process id for commands that run beside the server. */
function writeControlFile(data: string, site_url: string): string {
  const { control } = layout(data)
  const serving: Serving = { pid: process.pid, site_url }
  writeFileSync(`${control}.new`, JSON.stringify(serving))
  renameSync(`${control}.new`, control)
  return control
}

const nextStopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name))
  })

async function startJobs(hearth: Hearth): Promise<void> {
  await prepareChecks(hearth)
  await hearth.jobs.start()
}

/** Prints the address, and the set-up link while there is no account. */
async function announce(hearth: Hearth, isWritable: boolean): Promise<void> {
  process.stdout.write(`hearth listening on ${hearth.settings.site_url}\n`)
  if (!isWritable) return
  const setup = await issueSetupLink(hearth)
  if (setup !== null) process.stdout.write(`hearth setup: ${setup}\n`)
}

/** Notifies systemd twice in each interval. */
const startWatchdog = (intervalMs: number | null, notify: Notify) =>
  intervalMs === null ? null : setInterval(() => notify('WATCHDOG=1'), intervalMs / 2)
