/** Every command of the executable, in the order in which the help shows them. */
import type { Command } from './command.ts'
import { exportRepo } from './export.ts'
import { link } from './link.ts'
import { migrate } from './migrate.ts'
import { serve } from './serve.ts'
import { setup } from './setup.ts'
import { version } from './version.ts'

export const commands: readonly Command[] = [serve, setup, link, migrate, exportRepo, version]
