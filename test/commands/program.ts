import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..')

/**
 * How tests start the program: the executable that `HEARTH_EXECUTABLE` names, else the source tree.
 * The executable starts in a tenth of the time.
 */
export const PROGRAM: readonly string[] =
  process.env.HEARTH_EXECUTABLE === undefined
    ? [
        process.execPath,
        `--tsconfig-override=${join(ROOT, 'tsconfig.json')}`,
        join(ROOT, 'src/main.ts'),
      ]
    : [process.env.HEARTH_EXECUTABLE]
