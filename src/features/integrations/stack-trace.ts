/**
 * Stack traces of events of Sentry and of services that speak as it does. Webhooks name the members
 * with underscores, and the interface names them in camel case.
 */
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '#lib/json-value.ts'

const MAX_FRAMES = 50
const MAX_TEXT_CHARS = 500
const MAX_RELEASE_CHARS = 250

export type StackFrame = {
  /** As the service names it. */
  readonly file: string
  readonly line: number | null
  /** Of the function; empty when it has none. */
  readonly name: string
  /** Paths by which the file may be found in a repository, the best first; none for a library. */
  readonly paths: readonly string[]
}

export type StackTrace = {
  /** The newest call first. */
  readonly frames: readonly StackFrame[]
  /** The release in which it happened; null when it is unknown. */
  readonly release: string | null
}

const LIBRARIES =
  /(^|\/)(node_modules|site-packages|dist-packages|\.cargo|go\/pkg\/mod|usr\/(local\/)?(lib|go))\//

/**
 * A path without what a program that builds or runs it puts before: a scheme, a host, a drive, and
 * everything up to the last `.` or `..`. Null for what is no path.
 */
export function pathOfFrame(given: string): string | null {
  const [path = ''] = given
    .replaceAll('\\', '/')
    .replace(/^https?:\/\/[^/]*/i, '')
    .replace(/^[a-z][\w+.-]+:\/\//i, '')
    .split(/[?#]/, 1)
  const segments = path.split('/')
  const start = Math.max(segments.lastIndexOf('.'), segments.lastIndexOf('..')) + 1
  const rest = segments
    .slice(start)
    .filter((segment) => segment !== '' && segment !== '~' && !/^[a-z]:$/i.test(segment))
  return rest.length === 0 || path.endsWith('/') ? null : rest.join('/')
}

/** Java and its relatives tell the folders of a file only as the package of its class. */
function pathOfModule(file: string, module: string): string | null {
  const folders = module.split('.').slice(0, -1)
  return /[/\\]/.test(file) || folders.length === 0 ? null : [...folders, file].join('/')
}

const short = (value: unknown): string => (textOf(value) ?? '').slice(0, MAX_TEXT_CHARS)

const lineOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

function readFrame(frame: JsonObject): StackFrame | null {
  const absolute = short(frame.abs_path ?? frame.absPath)
  const file = short(frame.filename) || absolute
  if (file === '') return null
  const isLibrary = (frame.in_app ?? frame.inApp) === false || LIBRARIES.test(absolute || file)
  const paths = [pathOfModule(file, short(frame.module)), pathOfFrame(absolute), pathOfFrame(file)]
  return {
    file,
    line: lineOf(frame.lineno ?? frame.lineNo),
    name: short(frame.function),
    paths: isLibrary ? [] : [...new Set(paths.filter((path) => path !== null))],
  }
}

/** The frames of a stack trace, which the service lists from the oldest call to the newest. */
const framesOf = (stacktrace: unknown): StackFrame[] =>
  arrayOf(objectOf(stacktrace).frames)
    .slice(-MAX_FRAMES)
    .flatMap((frame) => (isObject(frame) ? (readFrame(frame) ?? []) : []))
    .toReversed()

/** The data of an entry of an event: of its own in webhooks, in a list in the interface. */
function dataOf(event: JsonObject, kind: 'exception' | 'stacktrace'): JsonObject {
  const entry = arrayOf(event.entries).find((one) => objectOf(one).type === kind)
  return objectOf(entry === undefined ? event[kind] : objectOf(entry).data)
}

function releaseOf({ release }: JsonObject): string | null {
  const name = textOf(release) ?? textOf(objectOf(release).version)
  return name === null || name === '' || name.length > MAX_RELEASE_CHARS ? null : name
}

/** The stack trace of an event; null when it has none. */
export function readStackTrace(event: JsonObject): StackTrace | null {
  // Of exceptions that caused each other, the last one is the one that was not handled.
  const traces = [
    ...arrayOf(dataOf(event, 'exception').values)
      .map((value) => objectOf(value).stacktrace)
      .toReversed(),
    dataOf(event, 'stacktrace'),
  ]
  for (const trace of traces) {
    const frames = framesOf(trace)
    if (frames.length > 0) return { frames, release: releaseOf(event) }
  }
  return null
}

/**
 * The revisions of a repository that a release may be, the best first. A release is a commit, a
 * version, or `name@version+build` (https://docs.sentry.io/product/releases/naming-releases/).
 */
export function revisionsOf(release: string | null): string[] {
  if (release === null) return []
  const whole = release.slice(release.lastIndexOf('@') + 1)
  const [version = '', build = ''] = whole.split('+')
  const tags = [release, version, `v${version}`, ...(build === '' ? [] : [whole])]
  const commits = [whole, build].filter((name) => /^[0-9a-f]{7,64}$/i.test(name))
  return [...new Set([...tags.filter((name) => name !== '').map((name) => `refs/tags/${name}`)])]
    .concat(commits)
    .filter((name) => !/[\s\p{Cc}~^:?*[\\]/u.test(name))
}
