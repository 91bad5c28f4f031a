/** The origin of the site that a screen is about: on a narrow screen its URLs are shown without it. */
import { createContext, useContext } from "react";

const OwnOrigin = createContext<string | null>(null);

export const OwnOriginProvider = OwnOrigin.Provider;
export const useOwnOrigin = (): string | null => useContext(OwnOrigin);
