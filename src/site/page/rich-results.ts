/**
 * The properties that Google requires and recommends for rich results, by schema.org type
 * (https://developers.google.com/search/docs/appearance/structured-data/search-gallery). A list stands for one of several.
 */

interface Wanted {
  required: readonly (string | readonly string[])[];
  recommended: readonly (string | readonly string[])[];
}

const ARTICLE: Wanted = { required: [], recommended: ["author", "dateModified", "datePublished", "headline", "image"] };
const BUSINESS: Wanted = { required: ["address", "name"], recommended: ["telephone", "url"] };

export const RICH_RESULTS: Readonly<Record<string, Wanted>> = {
  Article: ARTICLE,
  NewsArticle: ARTICLE,
  BlogPosting: ARTICLE,
  BreadcrumbList: { required: ["itemListElement"], recommended: [] },
  Course: { required: ["description", "name"], recommended: ["provider"] },
  Dataset: { required: ["description", "name"], recommended: ["creator", "license"] },
  Event: {
    required: ["location", "name", "startDate"],
    recommended: ["description", "endDate", "image", "offers", "organizer"],
  },
  ClaimReview: { required: ["claimReviewed", "reviewRating", "url"], recommended: ["author", "itemReviewed"] },
  DiscussionForumPosting: {
    required: ["author", "datePublished", ["text", "image", "video", "sharedContent"]],
    recommended: [],
  },
  FAQPage: { required: ["mainEntity"], recommended: [] },
  JobPosting: {
    required: [
      "datePosted",
      "description",
      "hiringOrganization",
      ["jobLocation", "applicantLocationRequirements"],
      "title",
    ],
    recommended: ["baseSalary", "employmentType", "validThrough"],
  },
  LocalBusiness: BUSINESS,
  Restaurant: BUSINESS,
  Store: BUSINESS,
  Movie: { required: ["image", "name"], recommended: ["dateCreated", "director"] },
  Product: { required: ["name", ["review", "aggregateRating", "offers"]], recommended: ["image"] },
  ProfilePage: { required: ["mainEntity"], recommended: [] },
  QAPage: { required: ["mainEntity"], recommended: [] },
  Recipe: {
    required: ["image", "name"],
    recommended: [
      "author",
      "datePublished",
      "description",
      "recipeIngredient",
      "recipeInstructions",
      "recipeYield",
      "totalTime",
    ],
  },
  Review: { required: ["author", "itemReviewed", "reviewRating"], recommended: ["datePublished"] },
  SoftwareApplication: {
    required: ["name", "offers", ["aggregateRating", "review"]],
    recommended: ["applicationCategory", "operatingSystem"],
  },
  VideoObject: {
    required: ["name", "thumbnailUrl", "uploadDate"],
    recommended: [["contentUrl", "embedUrl"], "description", "duration"],
  },
};
