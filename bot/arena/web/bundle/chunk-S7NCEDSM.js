import{M as r}from"./chunk-S3WV6Y74.js";function t(){let e=r("guest_key",null);return e===null?{}:{authorization:`Bearer ${e}`}}export{t as a};
