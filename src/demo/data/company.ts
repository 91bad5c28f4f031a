/** The people, shops and jobs of Harbour & Line. */

export const TEAM: readonly (readonly [string, string, string])[] = [
  ["Nora Penrose", "Counter", "Nora opened the second till in 1986 and has balanced it every night since."],
  ["Idris Vaughan", "Rod building", "Idris wraps rods to the cricket and dislikes being timed."],
  ["Maud Ellery", "Repairs", "Maud can hear a worn pinion from the street."],
  ["Tomas Lindqvist", "Journal", "Tomas writes the journal and takes the blurred photographs."],
  ["Aoife Brennan", "Boats", "Aoife runs the hire boats and decides when they stay in."],
  ["Samir Haddad", "Web shop", "Samir packs what you order and answers what you ask."],
];

export const STORES: readonly (readonly [string, string, string])[] = [
  ["Port Ellory", "4 Slipway Row", "The old net loft, with the workshop upstairs."],
  ["Marram Sands", "The Parade", "Open from Easter to October, for buckets and bass lures alike."],
  ["Ellbridge", "Mill Lane", "The river shop, fifty steps from the weir."],
  ["Skerry Point", "Lighthouse Cottages", "Bait from a hatch, and an honesty box when it is shut."],
];

export const JOBS: readonly (readonly [string, string])[] = [
  ["Saturday assistant", "You like people, mornings and string. We teach the rest."],
  ["Reel technician", "Steady hands, part time, in the workshop at Port Ellory."],
  ["Boat hand", "From April to September, with Aoife, in all weathers but the worst."],
];

export const BOATS: readonly (readonly [string, string])[] = [
  ["Kittiwake", "A clinker dinghy for two, with oars and good manners."],
  ["Dunlin", "Four metres, a small outboard, and room for a dog."],
  ["Guillemot", "The one with the canopy, for families."],
  ["Fulmar", "Five metres; you need a licence and a reason."],
  ["Turnstone", "Flat-bottomed, for the estuary and its mud."],
  ["Petrel", "Six seats and a skipper, who is Aoife."],
];

export const POLICIES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "/returns",
    "Returns",
    [
      "Bring it back within sixty days, used or not, if it is not right.",
      "Rods that broke in a car door are repaired at cost; we will not ask which door.",
    ],
  ],
  [
    "/terms",
    "Terms of sale",
    [
      "Prices include tax. The contract is made when we send the parcel.",
      "Harbour & Line is an invented shop, part of the Trawl crawler; nothing here can be bought.",
    ],
  ],
  [
    "/privacy",
    "Privacy",
    [
      "We keep your address until the parcel has arrived and the return time is over.",
      "There is no tracking on this site. The links with utm_source are there for crawlers to see through.",
    ],
  ],
];
