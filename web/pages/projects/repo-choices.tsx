// The repositories of a project, as checkboxes of those that were pushed to last.
import { listRepos } from '#features/repos/index.ts'
import { Checkbox, FieldSet, TextArea } from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { t } from '../../text.ts'

export type RepoChoices = {
  readonly names: readonly string[]
  readonly chosen: ReadonlySet<string>
  /** Whether the workspace has more repositories than the checkboxes show. */
  readonly more: boolean
}

export async function loadRepoChoices(
  visit: Visit,
  workspace: string,
  chosen: readonly string[],
): Promise<RepoChoices> {
  const { items, next } = await visit.call(listRepos, { workspace, per_page: 100, sort: 'pushed' })
  return {
    names: [...new Set([...chosen, ...items.map(({ full_name }) => full_name)])],
    chosen: new Set(chosen),
    more: next !== null,
  }
}

export const RepoChoices = ({
  choices,
  workspace,
}: {
  choices: RepoChoices
  workspace: string
}) => (
  <>
    <FieldSet legend={t('Repositories')} hint={t('Their issues are shown on the board.')}>
      <div class="check-columns">
        {choices.names.map((name) => (
          <Checkbox
            name="repos"
            value={name}
            label={<bdi>{name.slice(workspace.length + 1)}</bdi>}
            checked={choices.chosen.has(name)}
          />
        ))}
      </div>
    </FieldSet>
    {choices.more && (
      <TextArea
        name="other_repos"
        label={t('Other repositories')}
        rows={3}
        hint={t('One name per line.')}
      />
    )}
  </>
)

export const chosenRepos = (fields: Fields, workspace: string): string[] => [
  ...new Set([
    ...fields.all('repos'),
    ...fields
      .list('other_repos')
      .map((name) => (name.includes('/') ? name : `${workspace}/${name}`)),
  ]),
]
