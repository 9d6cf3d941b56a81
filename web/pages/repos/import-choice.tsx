// The choice among the repositories of another forge.
import { sealUntil, unsealFresh } from '#features/accounts/index.ts'
import type { FORGE_SOURCES, RemoteRepo } from '#features/imports/index.ts'
import { Refusal } from '#lib/errors.ts'
import { HOUR } from '#lib/time.ts'
import {
  Button,
  Card,
  Checkbox,
  EmptyState,
  Field,
  Form,
  FormActions,
  LinkButton,
  Notice,
  PageHead,
  Select,
} from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { localized, t, texts, tn } from '../../text.ts'
import { Shell } from '../shell.tsx'

export type ForgeSource = (typeof FORGE_SOURCES)[number]

/** Repositories that one page shows. */
export const MAX_SHOWN = 300

const VISIBILITIES = localized([
  { value: 'same', label: 'As on the other forge' },
  { value: 'private', label: 'Private' },
  { value: 'public', label: 'Public' },
] as const)

/** The token between the two forms: encrypted, for this person, for an hour. */
const PURPOSE = 'remote-repos-token'
type Held = { readonly user: string; readonly token: string | null }

export const hold = (visit: Visit, token: string | null): string =>
  sealUntil(visit.hearth, PURPOSE, visit.hearth.clock.now() + HOUR, {
    user: visit.viewer?.id ?? '',
    token,
  } satisfies Held)

export function heldToken(visit: Visit, fields: Fields): string | null {
  const held = unsealFresh<Held>(visit.hearth, PURPOSE, fields.text('held'))
  if (held === null || held.user !== visit.viewer?.id)
    throw new Refusal('invalid', t('The list is older than an hour. List the repositories again.'))
  return held.token
}

export type Row = Pick<RemoteRepo, 'full_name' | 'url' | 'private' | 'description'> & {
  readonly name: string
  readonly picked: boolean
  readonly marks: readonly (keyof typeof MARKS)[]
  readonly error: string | null
}

const MARKS = texts({
  private: 'Private',
  fork: 'Fork',
  archived: 'Archived',
  empty: 'Empty',
  exists: 'The name exists',
})

export const rowOf = (repo: RemoteRepo): Row => ({
  ...repo,
  picked: !repo.exists && !repo.fork && !repo.empty,
  marks: (['private', 'fork', 'archived', 'empty', 'exists'] as const).filter((mark) => repo[mark]),
  error: null,
})

export type Choice = {
  readonly source: ForgeSource
  readonly workspace: string
  readonly held: string
  readonly visibility: string
  readonly people: boolean
  readonly rows: readonly Row[]
  readonly hasMore: boolean
  readonly begun: number
}

const RepoRow = ({ row, at }: { row: Row; at: number }) => (
  <tr>
    <td>
      <input type="hidden" name={`url.${at}`} value={row.url} />
      <input type="hidden" name={`full.${at}`} value={row.full_name} />
      <input type="hidden" name={`about.${at}`} value={row.description ?? ''} />
      <input type="hidden" name={`private.${at}`} value={String(row.private)} />
      <Checkbox name={`pick.${at}`} label={<bdi>{row.full_name}</bdi>} checked={row.picked} />
      {row.error !== null && <p class="field-error">{row.error}</p>}
    </td>
    <td>
      <Field
        name={`name.${at}`}
        label={t('Name of {repo} here', { repo: row.full_name })}
        hideLabel
        mono
        maxlength={100}
        value={row.name}
        autocomplete="off"
      />
    </td>
    <td>{row.marks.map((mark) => MARKS[mark]).join(', ')}</td>
  </tr>
)

const RepoTable = ({ rows }: { rows: readonly Row[] }) => (
  <div class="table-scroll">
    <table class="plain-table" aria-label={t('Repositories')}>
      <thead>
        <tr>
          <th scope="col">{t('Account there')}</th>
          <th scope="col">{t('Name here')}</th>
          <th scope="col">{t('Notes')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <RepoRow row={row} at={at} />
        ))}
      </tbody>
    </table>
  </div>
)

const ChoiceForm = ({ choice, visit }: { choice: Choice; visit: Visit }) => (
  <Form action="/import/start" csrf={visit.csrf} label={t('Choose repositories')}>
    <input type="hidden" name="source" value={choice.source} />
    <input type="hidden" name="workspace" value={choice.workspace} />
    <input type="hidden" name="held" value={choice.held} />
    <input type="hidden" name="rows" value={String(choice.rows.length)} />
    <RepoTable rows={choice.rows} />
    <Select
      name="visibility"
      label={t('Who can see them')}
      options={VISIBILITIES}
      value={choice.visibility}
    />
    <Checkbox
      name="people"
      label={t('Recognize members of the workspace by their confirmed email addresses')}
      checked={choice.people}
    />
    <FormActions>
      <Button variant="primary">{t('Import chosen repositories')}</Button>
      <LinkButton href="/import">{t('Other addresses')}</LinkButton>
    </FormActions>
  </Form>
)

export const ChoicePage = ({ choice, visit }: { choice: Choice; visit: Visit }) => (
  <Shell visit={visit} title={t('Choose repositories')}>
    <PageHead title={t('Choose repositories')} />
    {choice.begun > 0 && (
      <Notice
        kind="wait"
        title={tn('{count} import was started', '{count} imports were started', choice.begun)}
      >
        <p>
          <a href="/import/progress">{t('Show imports')}</a>
        </p>
      </Notice>
    )}
    {choice.rows.length === 0 ? (
      <EmptyState
        icon="repo"
        title={t('There is no repository')}
        actions={<LinkButton href="/import">{t('Other addresses')}</LinkButton>}
      >
        {t('The token may not see them, or the address is that of somebody without any.')}
      </EmptyState>
    ) : (
      <Card>
        {choice.hasMore && (
          <Notice title={t('There are more repositories')}>
            <p>
              {t('Only the first {count} are shown. Name the others by their own addresses.', {
                count: String(MAX_SHOWN),
              })}
            </p>
          </Notice>
        )}
        <ChoiceForm choice={choice} visit={visit} />
      </Card>
    )}
  </Shell>
)
