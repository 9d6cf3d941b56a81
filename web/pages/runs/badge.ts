/** The badge of a workflow: a picture that says how its last run on a branch ended. */
import { getRepo } from '#features/repos/index.ts'
import { listRuns, listWorkflows } from '#features/workflows/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { Resource, Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

const GREY = '#6b6b6b'
/** The words stay English: the picture is in documents that everybody reads. */
const RESULTS: Readonly<Record<string, { readonly text: string; readonly color: string }>> = {
  success: { text: 'passing', color: '#1f7a3d' },
  failure: { text: 'failing', color: '#b42318' },
  timed_out: { text: 'timed out', color: '#b42318' },
  startup_failure: { text: 'failing', color: '#b42318' },
  cancelled: { text: 'cancelled', color: GREY },
}
const NO_RESULT = { text: 'no status', color: GREY }

const MAX_NAME_CHARS = 60
/** Of the font that browsers choose; the text is fitted to it. */
const CHAR_WIDTH = 6.6
const PADDING = 12

/** A picture of 20 pixels height with a name and a result. */
function badgeSvg(name: string, { text, color }: { text: string; color: string }): string {
  const label = Bun.escapeHTML(name.slice(0, MAX_NAME_CHARS))
  const left = Math.round(Math.min(name.length, MAX_NAME_CHARS) * CHAR_WIDTH) + PADDING
  const right = Math.round(text.length * CHAR_WIDTH) + PADDING
  const word = (x: number, width: number, value: string): string =>
    `<text x="${x + width / 2}" y="14" textLength="${width - PADDING}">${value}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${text}">`,
    `<title>${label}: ${text}</title>`,
    `<rect width="${left + right}" height="20" rx="3" fill="#3d3a36"/>`,
    `<path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right - 3}z" fill="${color}"/>`,
    '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    word(0, left, label),
    word(left, right, text),
    '</g></svg>',
  ].join('')
}

/** The path of the workflow's file, or the last part of it, names the workflow. */
async function respond(visit: Visit): Promise<Response> {
  const repo = await visit.call(getRepo, { repo: repoOf(visit) })
  const file = visit.params.file ?? ''
  const { items } = await visit.call(listWorkflows, {
    repo: repo.full_name,
    q: file.slice(0, 100),
    per_page: 100,
  })
  const workflow = items.find(({ path }) => path === file || path.endsWith(`/${file}`))
  if (file === '' || !workflow)
    throw new Refusal('not_found', `the workflow ${file} does not exist`)
  const runs = await visit.call(listRuns, {
    repo: repo.full_name,
    workflow_id: workflow.id,
    branch: visit.url.searchParams.get('branch') ?? repo.default_branch,
    status: 'completed',
    per_page: 1,
  })
  const result = RESULTS[runs.items[0]?.conclusion ?? ''] ?? NO_RESULT
  return new Response(badgeSvg(workflow.name, result), {
    headers: {
      'content-type': 'image/svg+xml',
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    },
  })
}

export const workflowBadge: Resource = {
  path: '/:workspace/:repo/actions/workflows/:file/badge.svg',
  respond,
}
