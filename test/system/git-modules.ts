/**
 * Holds the check of `.gitmodules` against `git fsck --strict` on generated files. Prints each file
 * on which they disagree, with the seed that generates it again.
 */
import { runScript, type Option } from '../../scripts/support/options.ts'
import { findGitmodulesDifferences, generateGitmodules } from '../git/support/gitmodules.ts'
import { discard, scratch } from '../git/support/real-git.ts'

const OPTIONS = {
  count: { kind: 'count', default: '100000', help: 'Generated files.' },
  seed: { kind: 'count', default: '', help: "The first file's seed; the others follow it." },
} as const satisfies Record<string, Option>

/** Files in one run of git. */
const FILES_PER_RUN = 5000

await runScript('bun test/system/git-modules.ts [options]', OPTIONS, async (options) => {
  const first = options.seed === '' ? Math.floor(Math.random() * 100_000_000) : Number(options.seed)
  const end = first + Number(options.count)
  const directory = scratch()
  process.stdout.write(`seed ${first}\n`)
  let differences = 0
  try {
    for (let from = first; from < end; from += FILES_PER_RUN) {
      const texts = Array.from({ length: Math.min(FILES_PER_RUN, end - from) }, (_, i) =>
        generateGitmodules(from + i),
      )
      for (const { text, git, engine } of await findGitmodulesDifferences(directory, texts)) {
        differences++
        process.stdout.write(
          `seed ${from + texts.indexOf(text)}: ${JSON.stringify(text)}\n  git: ${git.join(', ') || 'accepts'}; engine: ${engine ?? 'accepts'}\n`,
        )
      }
      process.stdout.write(`${Math.min(end, from + FILES_PER_RUN) - first} files\n`)
    }
  } finally {
    discard(directory)
  }
  process.stdout.write(`${differences} differences\n`)
  return differences === 0 ? 0 : 1
})
