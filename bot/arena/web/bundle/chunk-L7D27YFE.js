import{P as r}from"./chunk-GP6BMJBR.js";function t(){let e=r("guest_key",null);return e===null?{}:{authorization:`Bearer ${e}`}}export{t as a};
