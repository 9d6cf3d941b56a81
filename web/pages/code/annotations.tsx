// What jobs and scanners say about lines of a change, below these lines. Those whose line is not on
// the page are in a list above the files.
import { listAddedAlerts, type Severity } from '#features/security/index.ts'
import { listAnnotations, type CommitAnnotation } from '#features/workflows/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import {
  diffAnchor,
  Icon,
  List,
  Row,
  type DiffFile,
  type DiffThread,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { codeAlertsPath, codePath, jobPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { LevelMark } from '../runs/annotation-list.tsx'
import { linesShown } from './change-parts.ts'

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
/** Of lines that are not shown. The jobs and alerts have all of them. */
const MAX_HIDDEN = 20

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

const lineId = ({ path, line }: LineAnnotation): string => `${diffAnchor(path)}R${line ?? ''}`

export type PlacedAnnotations = {
  /** Those of the lines of this part of the change. */
  readonly below: readonly DiffThread[]
  /** Those of lines that no part of it has. */
  readonly hidden: readonly LineAnnotation[]
}

export function placeAnnotations(
  annotations: readonly LineAnnotation[],
  { files, loaded }: { readonly files: readonly DiffFile[]; readonly loaded: readonly DiffFile[] },
  { split }: { readonly split: boolean },
): PlacedAnnotations {
  if (annotations.length === 0) return { below: [], hidden: [] }
  const here = linesShown(files, split)
  const anywhere = linesShown(loaded, split)
  const byLine = Map.groupBy(
    annotations.filter((annotation) => here.has(lineId(annotation))),
    lineId,
  )
  return {
    below: [...byLine.values()].flatMap((ofLine) => {
      const [{ path, line } = { path: '', line: null }] = ofLine
      return line === null
        ? []
        : [{ path, side: 'new' as const, line, content: <Below annotations={ofLine} /> }]
    }),
    hidden: annotations.filter((annotation) => !anywhere.has(lineId(annotation))),
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
        {hidden.slice(0, MAX_HIDDEN).map((annotation) => (
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
      {hidden.length > MAX_HIDDEN && (
        <p class="small muted">
          {tn('{count} more annotation', '{count} more annotations', hidden.length - MAX_HIDDEN)}
        </p>
      )}
    </details>
  )
}
