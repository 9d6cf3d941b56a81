// What jobs and scanners say about lines of a change, below these lines. Those whose line is not on
// the page are in a list above the files.
import { listAddedAlerts, type Severity } from '#features/security/index.ts'
import { listAnnotations, type CommitAnnotation } from '#features/workflows/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import { Icon, List, Row, type DiffFile, type DiffThread } from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { codeAlertsPath, codePath, jobPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { LevelMark } from '../runs/annotation-list.tsx'

type Level = CommitAnnotation['level']

export type LineAnnotation = {
  readonly level: Level
  readonly path: string
  readonly line: number | null
  readonly title: string | null
  readonly message: string
  readonly source: { readonly name: string; readonly href: string }
}

/** Longer texts are cut; their job or alert shows the rest. */
const MAX_MESSAGE_CHARS = 2_000
/** Below one line. */
const MAX_PER_LINE = 10

const LEVEL_OF_SEVERITY: Readonly<Record<Severity, Level>> = {
  critical: 'failure',
  high: 'failure',
  medium: 'warning',
  low: 'notice',
  warning: 'warning',
  note: 'notice',
}

async function annotationsOfRuns(visit: Visit, repo: string, sha: string) {
  const found = await visit.tryCall(listAnnotations, { repo, sha })
  return (found?.items ?? []).map(
    ({ level, file, line, title, message, workflow, run, job, job_name }): LineAnnotation => ({
      level,
      path: file,
      line,
      title,
      message,
      source: { name: `${workflow} / ${job_name}`, href: jobPath(repo, run, job) },
    }),
  )
}

async function annotationsOfScanners(visit: Visit, repo: string, number: number) {
  const alerts = await visit.tryCall(listAddedAlerts, { repo, number })
  return (alerts ?? []).map(
    ({ id, severity, tool, rule, message, path, line }): LineAnnotation => ({
      level: LEVEL_OF_SEVERITY[severity],
      path,
      line,
      title: rule,
      message,
      source: { name: `code scanning / ${tool}`, href: codeAlertsPath(repo, `/${id}`) },
    }),
  )
}

/** What is said about the files of a commit, and about those of a pull request whose head it is. */
export async function loadAnnotations(
  visit: Visit,
  { repo, sha, pull }: { repo: string; sha: string | null; pull?: number },
): Promise<LineAnnotation[]> {
  const [ofRuns, ofScanners] = await Promise.all([
    sha === null ? [] : annotationsOfRuns(visit, repo, sha),
    pull === undefined || visit.viewer === null ? [] : annotationsOfScanners(visit, repo, pull),
  ])
  return [...ofScanners, ...ofRuns]
}

const cut = (text: string): string =>
  text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…`

const AnnotationItem = ({ annotation }: { annotation: LineAnnotation }) => {
  const { level, title, message, source } = annotation
  return (
    <div class={['line-annotation', `line-annotation-${level}`]}>
      <LevelMark level={level} />
      <div>
        {title !== null && <p class="line-annotation-title">{title}</p>}
        <p class="pre-line">{cut(message)}</p>
        <p class="small muted">
          <a href={source.href}>{source.name}</a>
        </p>
      </div>
    </div>
  )
}

const Below = ({ annotations }: { annotations: readonly LineAnnotation[] }) => (
  <>
    {annotations.slice(0, MAX_PER_LINE).map((annotation) => (
      <AnnotationItem annotation={annotation} />
    ))}
    {annotations.length > MAX_PER_LINE && (
      <p class="small muted">
        {tn(
          '{count} more annotation of this line',
          '{count} more annotations of this line',
          annotations.length - MAX_PER_LINE,
        )}
      </p>
    )}
  </>
)

const placeKey = (path: string, line: number | null): string => `${line ?? ''}\n${path}`

/** The lines of the new side that the page shows. */
function shownLines(files: readonly DiffFile[]): Set<string> {
  const shown = new Set<string>()
  for (const { path, hunks, reason } of files) {
    if (reason === 'too_large') continue
    for (const { lines } of hunks)
      for (const line of lines) if (line.new != null) shown.add(placeKey(path, line.new))
  }
  return shown
}

export type PlacedAnnotations = {
  readonly below: readonly DiffThread[]
  readonly hidden: readonly LineAnnotation[]
}

export function placeAnnotations(
  annotations: readonly LineAnnotation[],
  files: readonly DiffFile[],
): PlacedAnnotations {
  const shown = shownLines(files)
  const isShown = ({ path, line }: LineAnnotation) => shown.has(placeKey(path, line))
  const byLine = Map.groupBy(annotations.filter(isShown), ({ path, line }) => placeKey(path, line))
  return {
    below: [...byLine.values()].flatMap((ofLine) => {
      const [{ path, line } = { path: '', line: null }] = ofLine
      return line === null
        ? []
        : [{ path, side: 'new' as const, line, content: <Below annotations={ofLine} /> }]
    }),
    hidden: annotations.filter((annotation) => !isShown(annotation)),
  }
}

const LineLink = ({ repo, sha, of }: { repo: string; sha: string | null; of: LineAnnotation }) => {
  const name = of.line === null ? of.path : `${of.path}:${of.line}`
  if (sha === null) return <code>{name}</code>
  const href = codePath(repo, 'blob', sha, of.path)
  return (
    <a class="mono" href={of.line === null ? href : href + lineAddress(of.line)}>
      {name}
    </a>
  )
}

/** Annotations of lines that the page does not show, folded. */
export const HiddenAnnotations = ({
  repo,
  sha,
  hidden,
}: {
  repo: string
  sha: string | null
  hidden: readonly LineAnnotation[]
}): Html | null => {
  if (hidden.length === 0) return null
  return (
    <details class="card hidden-annotations">
      <summary>
        <Icon name="chevron-right" class="fold" />{' '}
        {tn(
          '{count} annotation of a line that is not shown here',
          '{count} annotations of lines that are not shown here',
          hidden.length,
        )}
      </summary>
      <List label={t('Annotations')}>
        {hidden.map((annotation) => (
          <Row
            mark={<LevelMark level={annotation.level} />}
            title={annotation.title ?? cut(annotation.message)}
            meta={
              <>
                {annotation.title !== null && <span>{cut(annotation.message)}</span>}
                <span>
                  <LineLink repo={repo} sha={sha} of={annotation} />
                </span>
                <span>
                  {rich('from {source}', {
                    source: <a href={annotation.source.href}>{annotation.source.name}</a>,
                  })}
                </span>
              </>
            }
          />
        ))}
      </List>
    </details>
  )
}
