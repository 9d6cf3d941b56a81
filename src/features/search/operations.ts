export { search } from './search.ts'
export { jump } from './jump.ts'
export { exploreRepos } from './explore-repos.ts'
