import { layout, openHearth } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { issueSetupLink } from '#features/accounts/index.ts'
import { prepareChecks } from '#features/checks/index.ts'
import { visitorOf } from '#http/authenticate.ts'
import { docsData } from '#http/docs.ts'
import { gitDoor } from '#http/git.ts'
import { namedByProxy } from '#http/named-by-proxy.ts'
import { startRedirect } from '#http/redirect.ts'
import { takeLock } from '#core/db.ts'
import { createLog } from '#lib/log.ts'
import { SECOND } from '#lib/time.ts'
import { createNotify } from '#lib/sd-notify.ts'
import { inTime } from '#lib/waiting.ts'
import { siteDoor } from '#web/door.ts'
import { siteMap } from '#web/index.ts'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'
import { listen } from './listen.ts'
import { findServing } from './open.ts'
import { requireOwnData } from './own-data.ts'

/**
 * How long jobs and the engine may take to end after the last request has; service managers wait 45
 * seconds for all of it (`assets/hearth.service`).
 */
const WORK_MS = 10 * SECOND

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
      data: text(flags['data']),
      config: text(flags['config']),
      listen: text(flags['listen']),
      site_url: text(flags['site-url']),
    })
    const log = createLog(config.log)
    requireOwnData(config.data)
    const release = takeLock(layout(config.data).lock)
    if (!release) {
      const other = findServing(config.data)
      throw new CommandError(
        `${config.data} is already served${other ? ` by process ${other.pid} at ${other.site_url}` : ''}`,
      )
    }

    const notify = createNotify(config.supervisor.notify, (error) =>
      log.warn('systemd cannot be told how it goes', { error }),
    )
    // The port is taken first: the real address is part of the settings. Requests wait until the
    // forge is open.
    const { server, certificates } = await listen(config, log)
    const settings = config.settings({ host: config.listen.host, port: server.port })
    const hearth = openHearth({ settings, log })
    const site = siteDoor(
      hearth,
      siteMap(settings, { docs: () => docsData(hearth) }),
      visitorOf,
      namedByProxy,
    )
    const redirect =
      config.tls.redirect &&
      startRedirect({
        ...config.tls.redirect,
        site_url: settings.site_url,
        challenge: certificates.tokenAnswer,
      })
    server.open(hearth, { git: gitDoor(hearth), site: site.handle, refuse: site.refuse })

    const { control } = layout(config.data)
    writeFileSync(
      `${control}.new`,
      JSON.stringify({ pid: process.pid, site_url: settings.site_url }),
    )
    renameSync(`${control}.new`, control)

    // Before anybody knows the address, so that an early signal ends it as cleanly as a late one.
    const stopped = new Promise<string>((resolve) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name))
    })
    process.stdout.write(`hearth listening on ${settings.site_url}\n`)
    const setup = await issueSetupLink(hearth)
    if (setup !== null) process.stdout.write(`hearth setup: ${setup}\n`)
    await prepareChecks(hearth)
    await hearth.jobs.start()
    certificates.start()
    notify('READY=1', `STATUS=serving ${settings.site_url}`)
    const watchdog =
      config.supervisor.watchdog_ms === null
        ? null
        : setInterval(() => notify('WATCHDOG=1'), config.supervisor.watchdog_ms / 2)
    log.info('serving', {
      site_url: settings.site_url,
      data: config.data,
      version: settings.version,
    })

    const signal = await stopped
    log.info('stopping', { signal })
    notify('STOPPING=1')
    certificates.stop()
    await redirect?.stop()
    hearth.leave()
    await server.stop()
    // What is on disk then is whole, as after any other end.
    await inTime(hearth.close(), WORK_MS, () =>
      log.warn('some work did not end in time; the next start takes it up'),
    )
    if (watchdog) clearInterval(watchdog)
    rmSync(control, { force: true })
    release()
    return 0
  },
}
