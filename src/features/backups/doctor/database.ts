/**
 * The database file, and the chain of the audit log. Read on a thread, because a large one takes
 * long.
 */
import { join } from 'node:path'
import { onThread } from '../keeper.ts'
import type { Inspected } from '../keeper-tasks.ts'
import { fault, type Check, type Look } from './finding.ts'

const inspected = new WeakMap<Look, Promise<Inspected>>()

/** Both checks read the file once. */
function inspect(look: Look): Promise<Inspected> {
  let found = inspected.get(look)
  if (!found)
    inspected.set(
      look,
      (found = onThread('inspect', { path: join(look.hearth.settings.data, 'hearth.db') })),
    )
  return found
}

export const database: Check = {
  name: 'database',
  ofCopies: true,
  run: async (look) =>
    (await inspect(look)).faults.map((line) =>
      fault(
        line,
        line.startsWith('a row of')
          ? 'Something that it belongs to is gone; pages that show it may fail. Restore a backup from before, or ask for help with this line.'
          : 'The file is damaged. Stop the forge, keep the file, and restore the newest backup.',
      ),
    ),
}

export const auditLog: Check = {
  name: 'audit log',
  ofCopies: true,
  run: async (look) => {
    const { broken_link } = await inspect(look)
    return broken_link === null
      ? []
      : [
          fault(
            `the chain is broken at ${broken_link}: an entry before it was changed or taken out`,
            'Somebody has written to the table past the forge. Compare it with a backup to see what is missing.',
          ),
        ]
  },
}
