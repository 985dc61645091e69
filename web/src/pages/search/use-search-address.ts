import { useNavigate, useSearch } from '@tanstack/react-router'
import { useWorkspace } from '../../service/session.ts'
import { type PersonInput, personOf } from './person.ts'
import type { Person, SearchAddress } from './types.ts'

const PATH = '/w/$workspaceId/search'

/** The search in the address, and how to change it. */
export function useSearchAddress() {
  const { id: workspaceId } = useWorkspace()
  const address = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const first: PersonInput = { user: address.user, groups: address.groups }
  const second: PersonInput = { user: address.user2, groups: address.groups2 }
  return {
    address,
    people: [personOf(first), address.two ? personOf(second) : undefined].filter(
      (person): person is Person => person !== undefined,
    ),
    go: (changes: Partial<SearchAddress>) =>
      navigate({
        to: PATH,
        params: { workspaceId },
        search: { ...address, ...changes },
        resetScroll: false,
      }),
  }
}
