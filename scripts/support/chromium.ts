/** Which Chromium the tests and measurements drive. `HEARTH_CHROMIUM` names another program. */
import { existsSync } from 'node:fs'

const CHOSEN = process.env.HEARTH_CHROMIUM
const SHELL = '/usr/bin/chromium-headless-shell'

/** The whole browser, with its viewer of PDF files. */
export const CHROMIUM = CHOSEN ?? '/usr/bin/chromium'

/**
 * The engine without windows, where Debian has installed it: pages take a third of the time and
 * look the same.
 */
export const chromiumShell = (): string => CHOSEN ?? (existsSync(SHELL) ? SHELL : CHROMIUM)

/** False where the shell could be installed and is not. Only Debian has a package of it. */
export const isShellInstalled = (): boolean =>
  CHOSEN !== undefined || existsSync(SHELL) || Bun.which('apt-get') === null
