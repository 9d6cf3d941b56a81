import { layout, openSound } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { requireKnownSchema } from '#src/upgrade.ts'
import type { Hearth } from '#core/hearth.ts'
import { examine, type Finding } from '#features/backups/index.ts'
import { isolationOf } from '#features/checks/index.ts'
import { describeIsolation } from '#runner'
import { existsSync } from 'node:fs'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'
import { say } from './terminal.ts'
import { withHearth } from './open.ts'
import { requireOwnData } from './own-data.ts'
import { describeStandby } from './standby/describe.ts'

/** Opening a forge migrates its database, which a check must not do. */
function requireUpToDate(data: string): void {
  const path = layout(data).database
  if (!existsSync(path)) return
  requireOwnData(data)
  const database = openSound(path, { readonly: true })
  try {
    const [first] = requireKnownSchema(database, layout(data))
    if (first)
      throw new CommandError(
        `the database is older than this executable (${first.name} is missing): run hearth migrate first`,
      )
  } finally {
    database.close()
  }
}

const counted = (findings: readonly Finding[], level: Finding['level']): string => {
  const n = findings.filter((finding) => finding.level === level).length
  return n === 0 ? '' : n === 1 ? `1 ${level}` : `${n} ${level}s`
}

/** Prints the findings and repairs them with `fix`. Returns how many faults remain. */
async function report(name: string, findings: readonly Finding[], fix: boolean): Promise<number> {
  const heading = [counted(findings, 'fault'), counted(findings, 'note')]
    .filter((part) => part !== '')
    .join(', ')
  say(`${name}: ${heading === '' ? 'sound' : heading}`)
  let left = 0
  for (const { level, problem: what, advice: means, repair: mend } of findings) {
    say(`  ${what}`)
    say(`    ${means}`)
    if (mend === null) left += Number(level === 'fault')
    else if (!fix) {
      say(`    hearth doctor --fix would ${mend.would}`)
      left += Number(level === 'fault')
    } else {
      try {
        say(`    mended: ${await mend.run()}`)
      } catch (error) {
        say(`    could not be mended: ${error instanceof Error ? error.message : String(error)}`)
        left += Number(level === 'fault')
      }
    }
  }
  return left
}

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Looks at everything that lasts: the database, the audit log, every git object, files, rights, clock and room. Says of each finding what it means and what --fix would do. Without --fix it changes nothing; with it, nothing that is still referred to is ever removed. Exit status 1 while a fault is left.',
  brief: 'Looks at everything that lasts, and says what is wrong with it and what to do.',
  args: [],
  flags: { ...DATA_FLAGS, fix: { help: 'Mends what can be mended without a loss.' } },

  run: async ({ flags }) => {
    requireUpToDate(loadConfig({ data: text(flags.data), config: text(flags.config) }).data)
    let left = 0
    await withHearth(flags, async (hearth: Hearth) => {
      await examine(hearth, {
        onCheck: async (name, findings) => {
          left += await report(name, findings, flags.fix === true)
        },
      })
      // A property of the machine, and no fault of the data.
      say(`acceptance checks: ${describeIsolation(await isolationOf(hearth))}`)
      const { text: standbyText, isFault } = await describeStandby(hearth.settings)
      say(`standby: ${standbyText}`)
      left += Number(isFault)
    })
    return left === 0 ? 0 : 1
  },
}
