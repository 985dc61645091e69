import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, useContext } from 'react'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { generalTerms, type Terms } from '../../texts/nouns.ts'
import { peopleIn } from './person.ts'
import type { Destination, LabAddress, Person } from './types.ts'

const PATH = '/w/$workspaceId/search'
const SELF: Person = {}

/** The search in the address, and how to change it. */
export function useLabAddress() {
  const { id: workspaceId, role } = useWorkspace()
  const address = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  // Only administrators may name people; others search as themselves.
  const mayName = may(role, 'administrator')
  const named = mayName ? peopleIn(address) : []
  return {
    address,
    mayName,
    named,
    people: named.length > 0 ? named : [SELF],
    go: (changes: Partial<LabAddress>, options: { replace?: boolean } = {}) =>
      navigate({
        to: PATH,
        params: { workspaceId },
        search: { ...address, ...changes },
        resetScroll: false,
        ...options,
      }),
  }
}

/** The chosen destination, and the nouns of its sources. */
export const LabContext = createContext<{ destination: Destination | null; terms: Terms }>({
  destination: null,
  terms: generalTerms,
})

/** Only below the provider of the lab. */
export function useLab() {
  const { destination, terms } = useContext(LabContext)
  if (!destination) throw new Error('useLab outside the lab')
  return { ...useLabAddress(), destination, terms }
}
