// The choice of one team of a workspace: the newest, and a search of all.
import { listTeams, type Team } from '#features/teams/index.ts'
import { Select } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { findChoices, type Choices } from '../choices.ts'
import { NamePicker } from '../repos/name-pickers.tsx'

export type PickableTeam = Pick<Team, 'slug' | 'name'>
export type PickableTeams = Choices<PickableTeam>

/** `offers` leaves teams out that cannot be chosen. */
export const loadPickableTeams = (
  visit: Visit,
  workspace: string,
  offers: (team: Team) => boolean,
): Promise<PickableTeams> =>
  findChoices(visit, 'team', async ({ q }) => {
    const { items } = await visit.call(listTeams, { workspace, q, per_page: 100 })
    return { items: items.filter(offers) }
  })

/** A few teams are a select, which a phone shows as its own. `none` is the choice of no team. */
export const TeamPicker = ({
  teams,
  chosen = null,
  none,
  ...props
}: {
  name: string
  label: string
  hint?: string
  error: string | null
  /** The slug of the present choice, or empty. */
  value: string
  teams: PickableTeams
  /** A team that may be the present choice without being among those to choose from. */
  chosen?: PickableTeam | null | undefined
  none?: string
}) => {
  const known = [
    ...(none === undefined ? [] : [{ slug: '', name: none }]),
    ...teams.items,
    ...(chosen === null || teams.items.some(({ slug }) => slug === chosen.slug) ? [] : [chosen]),
  ]
  if (teams.hasMore || teams.q !== null) {
    const names = new Map(known.map(({ slug, name }) => [slug, name]))
    const offered = teams.q === null ? known : teams.items
    return (
      <NamePicker
        {...props}
        names={{ ...teams, items: offered.map(({ slug }) => slug) }}
        shown={(slug) => names.get(slug) ?? slug}
      />
    )
  }
  return (
    <Select
      {...props}
      required={none === undefined}
      options={known.map(({ slug, name }) => ({ value: slug, label: name }))}
    />
  )
}
