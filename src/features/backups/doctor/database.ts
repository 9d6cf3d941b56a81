/**
 * Checks the database file and the hash chain of the audit log. A thread reads them, because a
 * large file takes long.
 */
import { fault, type Check } from './finding.ts'

export const database: Check = {
  name: 'database',
  appliesToCopies: true,
  run: async ({ inspectDatabase }) =>
    (await inspectDatabase()).faults.map((line) =>
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
  appliesToCopies: true,
  run: async ({ inspectDatabase }) => {
    const { broken_link } = await inspectDatabase()
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
