/**
 * The built-in `actions/cache` with `restore` and `save`. The sandbox packs and unpacks a cache; the
 * server stores its bytes without looking into them.
 */
import { createReadStream } from 'node:fs'
import { sha256 } from '#lib/hash.ts'
import { faultText, isOn } from './artifact-steps.ts'
import type { Conclusion } from './job-input.ts'
import type { JobWorkplace } from './job-workplace.ts'
import { findFiles, pathLines } from './search-paths.ts'
import { quote } from './shells.ts'
import type { RunningStep, StepRunner } from './step-runner.ts'

type Inputs = Readonly<Record<string, string>>

const UNPACK_TIMEOUT_MS = 600_000
/** Changes when caches of before would not fit any more. */
const FORMAT = 'hearth-1'

/** Caches of other paths do not fit. */
const versionOf = (path: string): string =>
  sha256([FORMAT, process.arch, ...pathLines(path)].join('\n'))

const keysOf = (inputs: Inputs): string[] => pathLines(inputs['restore-keys'] ?? '')

type Restored = {
  /** The key of the cache that was found; null without one. */
  readonly matched: string | null
  readonly conclusion: Conclusion
}

async function restore(
  runner: StepRunner,
  running: RunningStep,
  inputs: Inputs,
): Promise<Restored> {
  const { place, report, host } = runner.surroundings
  const key = inputs.key ?? ''
  const end = (matched: string | null, conclusion: Conclusion = 'success'): Restored => {
    running.outputs['cache-primary-key'] = key
    running.outputs['cache-matched-key'] = matched ?? ''
    running.outputs['cache-hit'] = matched === null ? '' : String(matched === key)
    return { matched, conclusion }
  }
  const miss = (why: string): Restored => {
    if (isOn(inputs['fail-on-cache-miss'])) {
      report.error(running.number, why)
      return end(null, 'failure')
    }
    report.line(why)
    return end(null)
  }
  if (!host.caches) return miss('Nothing here keeps caches')
  if (!key || !inputs.path) {
    report.error(running.number, 'The inputs key and path are required')
    return end(null, 'failure')
  }
  try {
    const version = versionOf(inputs.path)
    const found = await host.caches.find({ key, restoreKeys: keysOf(inputs), version })
    if (!found) return miss(`No cache has the key ${[key, ...keysOf(inputs)].join(', ')}`)
    if (isOn(inputs['lookup-only'])) {
      report.line(`There is a cache with the key ${found.key}`)
      return end(found.key)
    }
    if (!(await unpack(place, found.path))) {
      report.warning(running.number, `The cache ${found.key} could not be unpacked`)
      return end(null)
    }
    report.line(`Restored the cache ${found.key} (${found.size} bytes)`)
    return end(found.key)
  } catch (error) {
    // A job works without its cache, only slower.
    report.warning(running.number, `The cache could not be restored: ${faultText(error)}`)
    return end(null)
  }
}

async function unpack(place: JobWorkplace, path: string): Promise<boolean> {
  const bytes = createReadStream(path) as AsyncIterable<Uint8Array>
  const done = await place.withFile(bytes, (file) =>
    place.ask(
      `exec tar -xPf ${quote(file)} -C ${quote(place.paths.workspace)} 2>&1`,
      UNPACK_TIMEOUT_MS,
    ),
  )
  return done !== null
}

/** Packs what the paths name; zstd is faster and smaller than gzip where the machine has it. */
const packScript = (workspace: string): string =>
  [
    'if command -v zstd >/dev/null 2>&1; then pack="zstd -q -T0"; else pack="gzip -1"; fi',
    `exec tar --format=gnu -P -C ${quote(workspace)} --null -T "$1/list" --use-compress-program="$pack" -cf - 2>/dev/null`,
  ].join('\n')

/** The paths without wildcards that are there, and the files that the others name. */
async function pathsToPack(place: JobWorkplace, text: string): Promise<string[] | null> {
  const lines = pathLines(text)
  const isPlain = (line: string): boolean => !line.startsWith('!') && !/[*?[{]/.test(line)
  if (!lines.every(isPlain)) {
    const found = await findFiles(place, text, { includesHidden: true })
    return found === null
      ? null
      : found.files.map((file) => `${found.root === '/' ? '' : found.root}/${file}`)
  }
  const paths = lines.map((line) => line.replace(/^~(?=\/|$)/, place.paths.home))
  const there = await place.ask(
    [
      `cd ${quote(place.paths.workspace)}`,
      ...paths.map((path) => `[ ! -e ${quote(path)} ] || printf '%s\\0' ${quote(path)}`),
    ].join('\n'),
  )
  return there === null ? null : there.split('\0').filter((path) => path !== '')
}

async function save(
  runner: StepRunner,
  running: RunningStep,
  { key, path }: { readonly key: string; readonly path: string },
): Promise<Conclusion> {
  const { place, report, host } = runner.surroundings
  const warn = (message: string): Conclusion => {
    report.warning(running.number, message)
    return 'success'
  }
  if (!host.caches) return 'success'
  if (host.caches.whyReadOnly !== null) {
    report.line(host.caches.whyReadOnly)
    return 'success'
  }
  const paths = await pathsToPack(place, path)
  if (paths === null || paths.length === 0)
    return warn(`No cache is saved: ${pathLines(path).join(', ')} does not exist`)
  const { bytes, close } = place.stream(
    packScript(place.paths.workspace),
    { list: paths.map((one) => `${one}\0`).join('') },
    running.signal,
  )
  try {
    const isNew = await host.caches.save({ key, version: versionOf(path), bytes })
    report.line(isNew ? `Saved the cache ${key}` : `There is a cache ${key} already`)
    return 'success'
  } catch (error) {
    return warn(`The cache could not be saved: ${faultText(error)}`)
  } finally {
    await close()
  }
}

export const restoreCache = async (
  runner: StepRunner,
  running: RunningStep,
  inputs: Inputs,
): Promise<Conclusion> => (await restore(runner, running, inputs)).conclusion

export async function saveCache(
  runner: StepRunner,
  running: RunningStep,
  { key, path }: Inputs,
): Promise<Conclusion> {
  if (key && path) return save(runner, running, { key, path })
  runner.surroundings.report.error(running.number, 'The inputs key and path are required')
  return 'failure'
}

/** Restores a cache now, and saves it at the end of a job that succeeded, unless it was there. */
export async function useCache(
  runner: StepRunner,
  running: RunningStep,
  inputs: Inputs,
): Promise<Conclusion> {
  const { matched, conclusion } = await restore(runner, running, inputs)
  const { key, path } = inputs
  if (conclusion === 'success' && key && path && matched !== key && !isOn(inputs['lookup-only']))
    runner.postSteps.push({
      name: `Post ${running.step.kind === 'uses' ? running.step.uses : running.step.id}`,
      if: isOn(inputs['save-always']) ? 'always()' : 'success()',
      run: (number) => save(runner, { ...running, number, signal: undefined }, { key, path }),
    })
  return conclusion
}
