/** Every command of the executable, in the order in which the help shows them. */
import { advisories } from './advisories.ts'
import { api } from './api.ts'
import { backup } from './backup.ts'
import { checkWorkflows } from './check-workflows.ts'
import type { Command } from './command.ts'
import { credential } from './credential.ts'
import { doctor } from './doctor.ts'
import { exportRepo } from './export.ts'
import { importArchive } from './import.ts'
import { link } from './link.ts'
import { login } from './login.ts'
import { migrate } from './migrate.ts'
import { redirect } from './redirect.ts'
import { rollback } from './rollback.ts'
import { run } from './run/index.ts'
import { serve } from './serve.ts'
import { setupGit } from './setup-git.ts'
import { setup } from './setup.ts'
import { standby } from './standby/index.ts'
import { version } from './version.ts'

export const commands: readonly Command[] = [
  serve,
  setup,
  link,
  backup,
  standby,
  migrate,
  rollback,
  exportRepo,
  importArchive,
  redirect,
  advisories,
  doctor,
  checkWorkflows,
  run,
  login,
  credential,
  setupGit,
  api,
  version,
]
