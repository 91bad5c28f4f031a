/** The shop's shelves: nine categories of eight products each. */

export interface Category {
  slug: string;
  name: string;
  about: string;
  /** How a product of this shelf is made, one sentence each; products take them in turn. */
  making: readonly string[];
  /** Name, price in pounds. */
  products: readonly (readonly [string, number])[];
}

export const CATEGORIES: readonly Category[] = [
  {
    slug: "rods",
    name: "Rods",
    about: "Beach, boat and river rods, built in our workshop or by makers we have known for years.",
    making: [
      "The blank is wrapped by hand and cured for two days before the rings go on.",
      "Cork from one Portuguese grower, sanded thin enough to feel a plaice turn its head.",
      "Two sections of equal length, so it fits behind the seats of a small car.",
    ],
    products: [
      ["Ellory Beach 13", 189],
      ["Ellory Beach 11", 169],
      ["Slipway Boat 7", 124],
      ["Pier Companion", 79],
      ["Chalk Stream Five", 240],
      ["Skerry Travel Rod", 139],
      ["Tern Ultralight", 95],
      ["First Cast Junior", 39],
    ],
  },
  {
    slug: "reels",
    name: "Reels",
    about: "Reels that can be taken apart at the kitchen table and put together again.",
    making: [
      "Every screw is a standard size, and the spares are on our shelf.",
      "The drag is carbon, greased once, and good for a season of sand.",
      "Sealed twice at the line roller, which is where salt gets in first.",
    ],
    products: [
      ["Capstan 4000", 145],
      ["Capstan 6000", 165],
      ["Windlass Multiplier", 199],
      ["Bollard Fixed Spool", 88],
      ["Quiet Click Fly Reel", 130],
      ["Ebb Centrepin", 310],
      ["Harbourmaster 80", 220],
      ["Little Wren 1000", 64],
    ],
  },
  {
    slug: "lines",
    name: "Lines",
    about: "Monofilament, braid and fly line, wound to the metre.",
    making: [
      "Wound by weight and checked by length, so the spool is never short.",
      "The colour fades after thirty trips; the strength does not.",
      "Sold on card spools, because the sea has enough plastic.",
    ],
    products: [
      ["Grey Tide Mono 15 lb", 9],
      ["Grey Tide Mono 25 lb", 10],
      ["Eight Strand Braid 20 lb", 28],
      ["Eight Strand Braid 40 lb", 31],
      ["Clear Shock Leader", 8],
      ["Floating Fly Line WF5", 46],
      ["Sinking Fly Line WF7", 52],
      ["Tapered Leaders, pack of ten", 14],
    ],
  },
  {
    slug: "hooks",
    name: "Hooks",
    about: "Hooks from size 18 to 6/0, with and without barbs.",
    making: [
      "Sharpened chemically and tested on a cork from each batch.",
      "Wide in the gape and short in the shank, which is how wrasse like them.",
      "A barbless version comes at the same price.",
    ],
    products: [
      ["Aberdeen Fine Wire", 4],
      ["Circle 4/0", 6],
      ["Flounder Long Shank", 4],
      ["Barbless Trout Pack", 7],
      ["Strong Pennell Pair", 5],
      ["Mackerel Feathers", 3],
      ["Treble Replacement Set", 6],
      ["Bait Holder Assortment", 9],
    ],
  },
  {
    slug: "lures",
    name: "Lures",
    about: "Wood, metal and soft plastic that has been in the water before it was in the shop.",
    making: [
      "Turned from lime wood offcuts of the boatyard next door.",
      "It swims best a little slower than you would think.",
      "Painted with three coats and a varnish that survives shingle.",
    ],
    products: [
      ["Sand Eel 120", 11],
      ["Sand Eel 150", 12],
      ["Dusk Popper", 14],
      ["Silver Casting Jig 28 g", 8],
      ["Silver Casting Jig 40 g", 9],
      ["Weedless Paddle Tail", 7],
      ["Copper Spoon No. 3", 6],
      ["Night Bass Needle", 16],
    ],
  },
  {
    slug: "nets",
    name: "Nets and landing gear",
    about: "What you need in the last two metres.",
    making: [
      "Rubber mesh, which is kinder to scales and lets hooks go.",
      "The handle floats, as we found out by dropping it.",
      "Folds flat with one hand.",
    ],
    products: [
      ["Rubber Mesh Landing Net", 42],
      ["Drop Net for Piers", 36],
      ["Prawn Hand Net", 18],
      ["Folding Wading Net", 55],
      ["Lip Grip Scale", 27],
      ["Long Nose Disgorger", 5],
      ["Crab Line and Bag", 6],
      ["Weigh Sling", 33],
    ],
  },
  {
    slug: "clothing",
    name: "Clothing",
    about: "Warm, dry and without a logo you would have to explain.",
    making: [
      "Waxed cotton that can be waxed again, by you or by us.",
      "Knitted two streets away on a machine from 1962.",
      "Seams are taped, then worn in the rain by someone who complains easily.",
    ],
    products: [
      ["Slipway Smock", 118],
      ["Guernsey Jumper", 96],
      ["Breathable Chest Waders", 210],
      ["Neck Buff", 15],
      ["Fingerless Wool Gloves", 22],
      ["Storm Hat", 34],
      ["Deck Boots", 74],
      ["Thermal Base Layer", 48],
    ],
  },
  {
    slug: "boxes",
    name: "Boxes and bags",
    about: "A place for everything, and dry when you open it.",
    making: [
      "The clasp can be worked with cold fingers.",
      "Sits level on shingle, and on the knees of a passenger.",
      "Dividers are spruce and can be cut with a pocket knife.",
    ],
    products: [
      ["Seat Box, three trays", 89],
      ["Roll Top Dry Bag 30 l", 38],
      ["Lure Wallet", 24],
      ["Fly Box, spruce", 29],
      ["Rig Winders, set of six", 12],
      ["Rod Holdall", 66],
      ["Bait Cool Box", 45],
      ["Pocket Tackle Tin", 9],
    ],
  },
  {
    slug: "care",
    name: "Care and repair",
    about: "Oil, wax, thread and the patience to use them.",
    making: [
      "The same tin that stands open on our own bench.",
      "Comes with a drawing of what goes where.",
      "A little lasts for years, so the small size is the right one.",
    ],
    products: [
      ["Reel Oil 30 ml", 6],
      ["Reel Grease 50 g", 7],
      ["Ferrule Wax", 4],
      ["Rod Ring Kit", 18],
      ["Whipping Thread", 5],
      ["Wader Repair Patch", 8],
      ["Cork Filler", 7],
      ["Line Cleaner Pad", 6],
    ],
  },
];
